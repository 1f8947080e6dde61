"""Typed observations of messages: the first stage of the embedded judge."""
