"""Judges: questions about a log in, verdicts out."""
