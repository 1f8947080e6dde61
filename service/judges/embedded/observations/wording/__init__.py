"""Expressions and tone: how a message is worded."""
