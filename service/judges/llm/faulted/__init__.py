"""Verdicts from faults: the model lists the faults of all replies in one answer, and the shared ladder scores each factor."""
