"""Simulations and real data behind docs/calibration.md."""
