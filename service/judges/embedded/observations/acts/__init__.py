"""Dialogue acts and reactions: the function of a message."""
