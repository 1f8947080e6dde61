"""Rows and lines that hold a part of a conversation each, brought together."""
