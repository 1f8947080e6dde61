"""Conversations in other formats as logs, with the labels that came along kept apart."""
