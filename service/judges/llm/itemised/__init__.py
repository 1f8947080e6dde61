"""Itemised verdicts: the model lists what it saw, and code climbs the ladder."""
