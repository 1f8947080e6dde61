"""Drift: scores of a system that are lower or higher than they were, noticed at any time."""
