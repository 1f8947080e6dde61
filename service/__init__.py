"""crs-eval: evaluation of conversational recommender systems as a service."""

__version__ = "0.1.0"
