"""Find checkable statements about items in a text: kind, director or author, year of release."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from .....text.patterns import Finder
from .....text.words import Span, sentences
from .topics import find_kinds


class ClaimKind(StrEnum):
    """The subject of a claim about an item."""

    KIND = "kind"
    DIRECTOR = "director"
    AUTHOR = "author"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the title at `subject` (an index in the titles given), and where it stands.
    `values` are the kinds that a word can mean, or the one name or year stated."""

    subject: int
    kind: ClaimKind
    values: frozenset[str]
    span: Span


_NAME = r"(?P<name>[A-Z][\w.'\u2019-]+(?: (?:de |van |von |del |la )?[A-Z][\w.'\u2019-]+){0,3})"
_DIRECTED = re.compile(rf"\b[Dd]irected by {_NAME}")
_WRITTEN = re.compile(rf"\b(?:[Ww]ritten|[Aa]uthored) by {_NAME}")
_RELEASED = Finder(
    r"\b(?:released|came out|published|made|released back) in (?:the year )?(?P<year>(?:1[89]|20)\d\d)\b"
)
_COPULA = Finder(r"\b(?:is|are|was|were|it's|its|that's|they're)\b")
_HEDGE = Finder(r"\b(?:if|like|similar|prefer|maybe|looking for|another|any|kind|not|or|what|do you|are you|some|as well as|bit of|elements?)\b")  # fmt: skip
_SAME = re.compile(r"(?:it|it's|this|that)\b", re.IGNORECASE)


def find_claims(text: str, titles: Sequence[Span]) -> list[Claim]:
    """The checkable statements of a text about the titles in it (sorted), in order. Questions, wishes and hedged
    statements claim nothing; a statement belongs to the last title before it in its sentence. A sentence that opens with "it"
    belongs to the last title of the sentence before."""
    found: list[Claim] = []
    latest: int | None = None
    upcoming = 0
    for sentence in sentences(text):
        inside = []
        while upcoming < len(titles) and titles[upcoming].start < sentence.end:
            inside.append(upcoming)
            upcoming += 1
        line = sentence.of(text)
        if (inside or latest is not None) and not line.rstrip().endswith("?"):
            first = latest if _SAME.match(line) else None
            if inside or first is not None:
                found += _stated(text, sentence, inside, titles, first)
        if inside:
            latest = inside[-1]
    return found


def _stated(
    text: str, sentence: Span, inside: Sequence[int], titles: Sequence[Span], first: int | None
) -> list[Claim]:
    line = sentence.of(text)
    found = []
    for pattern, kind, group in (
        (_DIRECTED, ClaimKind.DIRECTOR, "name"),
        (_WRITTEN, ClaimKind.AUTHOR, "name"),
        (_RELEASED, ClaimKind.YEAR, "year"),
    ):
        for match in pattern.finditer(line):
            start = sentence.start + match.start()
            subject = _subject(start, inside, titles, first)
            if subject is not None:
                value = match[group].rstrip(".'\u2019").casefold()
                found.append(
                    Claim(subject, kind, frozenset({value}), Span(start, sentence.start + match.end(), kind))
                )
    for span, kinds, positive in find_kinds(line):
        start = sentence.start + span.start
        subject = _subject(start, inside, titles, first)
        if subject is None or not positive:
            continue
        begin = max(titles[subject].end - sentence.start, 0)
        between = line[begin : span.start]
        if (
            titles[subject].end <= start
            and len(between) <= 60
            and _COPULA.search(between)
            and not _HEDGE.search(between)
        ):
            found.append(
                Claim(subject, ClaimKind.KIND, kinds, Span(start, sentence.start + span.end, ClaimKind.KIND))
            )
    return sorted(found, key=lambda claim: claim.span)


def _subject(start: int, inside: Sequence[int], titles: Sequence[Span], first: int | None) -> int | None:
    # Titles stand apart, in order: the last that ends before it is the last but one that begins before it, at worst.
    before = bisect_right(inside, start, key=lambda index: titles[index].start)
    return next(
        (index for index in reversed(inside[max(0, before - 2) : before]) if titles[index].end <= start),
        first,
    )
