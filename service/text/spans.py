"""A marked stretch of a text."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` to `end` (exclusive) of a text, with the name of what was found there."""

    start: int
    end: int
    kind: str

    def of(self, text: str) -> str:
        """The stretch itself."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        return self.start < other.end and other.start < self.end


def outside(spans: Iterable[Span], protected: Iterable[Span]) -> list[Span]:
    """The spans that touch none of the protected ones (titles and names, say), sorted. Linear
    after sorting; protected spans may overlap one another."""
    walls = sorted(protected)
    reach: list[int] = []
    furthest = 0
    for wall in walls:
        furthest = max(furthest, wall.end)
        reach.append(furthest)
    kept = []
    index = 0
    for span in sorted(spans):
        while index < len(walls) and walls[index].start < span.end:
            index += 1
        if not index or reach[index - 1] <= span.start:
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
