"""Counts and lists in sentences."""

from collections.abc import Sequence


def counted(n: int, noun: str, plural: str | None = None, *, of: int | None = None) -> str:
    """Return `1 log`, `2 logs`, or `2 of 5 logs`; `plural` is for nouns that take more than an s."""
    total = n if of is None else of
    named = noun if total == 1 else plural or f"{noun}s"
    return f"{n:,} {named}" if of is None else f"{n:,} of {of:,} {named}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the first `most` names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
