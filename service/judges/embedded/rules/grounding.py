"""Statements that a source contradicts, items that no tool offered, failures of tools that a reply passes over."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....domain.verdict import Flag
from ....grounding.statements import Statement
from ....text.words import Span
from ..observations.reading import Read, Reading
from .findings import Exhibit, exhibit, say, table

MOST_FLAGS = 20


@dataclass(frozen=True, slots=True)
class Grounded:
    """A reply held against its sources: the number of statements that they answer, and the faults."""

    checked: int
    wrong: tuple[Exhibit, ...]


def hold_to_sources(reading: Reading, read: Read, claimed: Sequence[Span]) -> Grounded:
    """Hold a reply against its sources. `claimed`: the stretches of its text that were checked already."""
    found = [one for one in reading.case.grounding.statements if one.message == read.index]
    new = [one for one in found if not _covered(one, claimed)]
    wrong = [_contradicted(read, one) for one in new if not one.holds]
    return Grounded(len(new), (*wrong, *_not_offered(reading, read)))


def passed_over(reading: Reading) -> tuple[Flag, ...]:
    """Flags for failures of tools of which the reply says nothing: what it says instead may rest on nothing."""
    detail = say("grounding.tool-failed")
    replies = [reply for _, reply, fault in reading.case.grounding.errors if fault]
    return tuple(Flag("tool_error_passed_over", detail, reply) for reply in replies[:MOST_FLAGS])


def _covered(one: Statement, claimed: Sequence[Span]) -> bool:
    if one.start is None or one.end is None:
        return False
    return any(one.start < span.end and span.start < one.end for span in claimed)


def _contradicted(read: Read, one: Statement) -> Exhibit:
    place = say("grounding.on-card") if one.start is None else ""
    where = say("grounding.in-message", message=one.source.message) if one.source.message is not None else ""
    matter = say(
        "grounding.contradicted",
        title=one.title,
        place=place,
        said=one.said,
        origin=table("origins")[one.source.origin.name.lower()],
        where=where,
        told=one.told,
    )
    return exhibit(read, one.start or 0, one.end or 0, matter)


def _not_offered(reading: Reading, read: Read) -> Iterator[Exhibit]:
    grounding = reading.case.grounding
    for one in grounding.shown:
        if one.message == read.index and one.offered is False:
            yield exhibit(read, 0, 0, say("grounding.not-offered", title=grounding.title(one)))
