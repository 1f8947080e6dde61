"""Trains the embedded judge's small linear models; `python -m research.train_judge --help`."""
