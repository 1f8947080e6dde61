"""Ratings as they come in, sorted by judge, factor and system."""
