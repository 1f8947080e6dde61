"""Whole evaluations out of their parts: score first, then debate, then the computed metrics."""
