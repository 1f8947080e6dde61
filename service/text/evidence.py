"""Whether words in a text are meant as a title: how everyday they are, and what marks them."""

import re
from collections.abc import Sequence
from enum import IntEnum

from .normalise import Tokens

_CUE = re.compile(
    r"\b(?:seen|watch(?:ed|ing)?|movies?|films?|called|titled|named|about|recommend|suggest|loved?|liked?|enjoyed|try)"
    r"\s+(?:the\s+|a\s+)?$",
    re.IGNORECASE,
)
_COMMON = frozenset(
    "it her up us signs saw game gift the a an of and to in is you me my we i out get".split()
)


class Weight(IntEnum):
    """How much context a title needs: none, a mark or a cue, a mark."""

    DISTINCT = 0
    EVERYDAY = 1
    FUNCTION = 2


def weigh(words: Sequence[str]) -> Weight:
    """How easily these words stand in a text without naming anything."""
    if all(word in _COMMON or word.isdigit() for word in words):
        return Weight.EVERYDAY if len(words) > 1 else Weight.FUNCTION
    return Weight.DISTINCT


class Context:
    """A text's capitals, quotation marks and cues, read when a title needs them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def supports(self, weight: Weight, first: int, last: int) -> bool:
        """Whether the words from `first` to before `last` are marked as much as they must be."""
        if weight is Weight.DISTINCT:
            return True
        tokens = self._tokens
        start, end = tokens.starts[first], tokens.ends[last - 1]
        before, after = tokens.text[max(0, start - 30) : start], tokens.text[end : end + 1]
        if before[-1:] in {'"', "“", "*"} and after in {'"', "”", "*", ",", "."}:
            return True
        capital = tokens.text[start].isupper() and bool(re.search(r"[\w,]\s+(?:[Tt]he\s+|[Aa]\s+)?$", before))
        return capital or (weight is Weight.EVERYDAY and bool(_CUE.search(before)))
