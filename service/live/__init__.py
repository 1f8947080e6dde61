"""Conversations in progress: gathered as their messages come, judged as they end, sent to subscribers."""
