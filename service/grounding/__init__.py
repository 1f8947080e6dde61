"""Replies held against their sources: what tools answered, the log's items, the catalogue; and against the user's wishes.

Code decides here without a model, and only where it can be sure: precision before recall. The metrics, the embedded judge and
the prompts of models read the same findings."""
