"""Logs that carry ids and never conversation text."""
