"""Open conversations and what was found about ended ones: in a Redis that persists, or in a file of SQLite."""
