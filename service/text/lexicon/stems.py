"""Whether a text has any of many words at all, told at a glance."""

import re
from collections import defaultdict


class Stems:
    """Beginnings of words, and signs, of which a text in small letters may hold one. Words are looked for by one
    pattern that shares their beginnings, in a fifth of the time that a look for each would take."""

    def __init__(self, *stems: str) -> None:
        words = {stem.strip() if stem[0] == " " else stem for stem in stems}
        self._signs = tuple(sorted(stem for stem in words if not stem[0].isalnum()))
        beginnings = frozenset(words) - frozenset(self._signs)
        self._search = re.compile(r"\b" + _sharing(beginnings) if beginnings else r"(?!)").search

    def in_any(self, small: str) -> bool:
        """Whether a text in small letters holds one."""
        if self._search(small):
            return True
        for sign in self._signs:  # noqa: SIM110 - a loop takes less time than `any`, for each text
            if sign in small:
                return True
        return False


def _sharing(stems: frozenset[str]) -> str:
    """A pattern for any of the stems, those that begin alike looked for together."""
    if "" in stems:
        return ""
    following: dict[str, set[str]] = defaultdict(set)
    for stem in stems:
        following[stem[0]].add(stem[1:])
    branches = [re.escape(letter) + _sharing(frozenset(rest)) for letter, rest in sorted(following.items())]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
