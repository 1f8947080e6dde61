"""Conversations in progress: gathered as their messages come, judged as they end, told to whoever asked for it."""
