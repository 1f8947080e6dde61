"""Frozen values that every layer shares; nothing here does I/O."""
