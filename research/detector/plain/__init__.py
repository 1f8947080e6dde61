"""Short, plain conversations made by rule: obvious faults beside the good reply in their place.

The corpus has long conversations and subtle faults. What goes wrong in three plain words ("I need running shoes." - "How about
this handbag?") it hardly has. `kinds.toml` has kinds of items, `topics.toml` what is asked about them and what a user may need, and
`phrases.toml` the words around them. `tasks.toml` has the tasks of booking assistants and the values that they ask for."""

from .scenes import plain
from .talk import Tables

__all__ = ["Tables", "plain"]
