"""Trains the embedded judge's small linear models; `python -m tools.train_judge --help`."""
