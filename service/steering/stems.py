"""Decide at a glance whether a text has any of many words."""

from ..text.glance import finding


class Stems:
    """Beginnings of words, and signs, of which a text in small letters may hold one."""

    def __init__(self, *stems: str) -> None:
        found = sorted({stem.strip() if stem[0] == " " else stem for stem in stems})
        #: By the place of each whether it may stand within a word.
        self._anywhere = tuple(not stem[:1].isalnum() for stem in found)
        self._find = finding(found)

    def in_any(self, small: str) -> bool:
        """Return whether a text in small letters holds one."""
        for found, start, _ in self._find(small):
            before = small[start - 1] if start else " "
            if self._anywhere[found] or not (before.isalnum() or before == "_"):
                return True
        return False
