"""Findings made into a score, evidence and confidence, factor by factor. The third stage."""
