"""The known name that somebody may have meant."""

from collections.abc import Iterable

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extractOne

_NEAR = 70
"""Share of letters, in percent, that two names have in common where one is a slip for the other."""
_PART = 5
"""Letters of a name from which on it says something as a part of another."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that this one is a slip or a part of, whatever the case; None where none is really near."""
    names = {one.casefold(): one for one in known}
    sought = name[:80].casefold()
    if found := extractOne(sought, list(names), scorer=ratio, score_cutoff=_NEAR):
        return names[found[0]]
    parts = [one for one in names if min(len(one), len(sought)) >= _PART and (sought in one or one in sought)]
    return names[min(parts, key=len)] if parts else None
