"""crs-eval: evaluation of conversational recommender systems as a service."""

__version__ = "1.0.0"
