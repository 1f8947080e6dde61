"""A marked stretch of a text."""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple


class Span(NamedTuple):
    """Characters `start` to `end` (exclusive) of a text, with the name of what was found there. A tuple: there
    are hundreds for a message, and they are sorted again and again."""

    start: int
    end: int
    kind: str

    def of(self, text: str) -> str:
        """The stretch itself."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        return self.start < other.end and other.start < self.end


def outside(spans: Iterable[Span], protected: Iterable[Span]) -> list[Span]:
    """The spans that touch none of the protected ones (titles and names, say), sorted. No
    slower than sorting; spans may overlap one another."""
    ordered = sorted(spans)
    walls = sorted(protected) if ordered else []
    if not walls:
        return ordered
    starts = [wall.start for wall in walls]
    reach = list(accumulate((wall.end for wall in walls), max))
    kept = []
    for span in ordered:
        before = bisect_left(starts, span.end)
        if not before or reach[before - 1] <= span.start:
            kept.append(span)
    return kept


def blank(text: str, spans: Iterable[Span]) -> str:
    """The text with the spans replaced by blanks, so that all other positions stay the same."""
    pieces = []
    position = 0
    for span in sorted(spans):
        if span.end <= position:
            continue
        start = max(span.start, position)
        pieces += [text[position:start], " " * (span.end - start)]
        position = span.end
    pieces.append(text[position:])
    return "".join(pieces)
