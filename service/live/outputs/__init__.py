"""Outputs of results: each takes every event once, or again under the same number."""
