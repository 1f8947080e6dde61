"""Simulations of drift."""
