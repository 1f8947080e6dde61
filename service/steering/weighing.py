"""Orders to a judge, whatever their wording: what they are made of, counted in a passage."""

import re
from collections import Counter, deque
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..text.patterns import Finder, Stems
from .lexicon import LEXICON

PASSAGE = 180
"""Characters in which the parts of an order stand together."""

_ENDS = re.compile(r"[.!?\n]")
PLAIN = 1.0
STRONG = 2.0
_TELLING = (
    frozenset({"log", "matter"}),
    frozenset({"annul", "told", "matter"}),
    frozenset({"log", "best", "order"}),
    frozenset({"role", "matter", "order"}),
)
_ACTS = frozenset({"order", "best", "annul", "told", "role"})
"""Naming a judge and what judges speak of is no order yet."""


class Part(NamedTuple):
    """A word or phrase that orders are made of."""

    start: int
    end: int
    kind: str
    weight: float


def weighty(lowered: str) -> bool:
    """Return whether a text in small letters has any word that an order needs."""
    plain, other = _stems()
    return plain.in_any(lowered) or (not lowered.isascii() and any(stem in lowered for stem in other))


def orders(text: str) -> Iterator[tuple[int, int]]:
    """The passages whose parts together weigh enough, and that point at the judge or the log. Takes time in
    proportion to the text."""
    enough = float(LEXICON.tables["weighing"]["enough"])
    inside: deque[Part] = deque()
    seen: Counter[tuple[str, float]] = Counter()
    for part in parts(text):
        inside.append(part)
        seen[part.kind, part.weight] += 1
        while inside and inside[0].start < part.end - PASSAGE:
            _leave(inside, seen)
        if not _is_order(seen, enough):
            continue
        passage = list(inside)
        while inside and _is_order(seen, enough):
            first = inside[0]
            _leave(inside, seen)
        first = next(begin for begin in passage if not _ENDS.search(text, begin.end, first.start + 1))
        yield first.start, part.end
        inside.clear()
        seen.clear()


def parts(text: str) -> list[Part]:
    """All parts of orders in a text, by place."""
    return sorted(
        Part(match.start(), match.end(), kind, weight)
        for kind, weight, pattern in _concepts()
        for match in pattern.finditer(text)
    )


def _leave(inside: deque[Part], seen: Counter[tuple[str, float]]) -> None:
    left = inside.popleft()
    key = (left.kind, left.weight)
    seen[key] -= 1
    if not seen[key]:
        del seen[key]


def _is_order(seen: Counter[tuple[str, float]], enough: float) -> bool:
    heaviest: dict[str, float] = {}
    for kind, weight in seen:
        heaviest[kind] = max(weight, heaviest.get(kind, 0.0))
    if sum(heaviest.values()) < enough:
        return False
    kinds = heaviest.keys()
    judge, matter = heaviest.get("judge", 0.0), heaviest.get("matter", 0.0)
    log = heaviest.get("log", 0.0)
    if judge >= STRONG and (log >= PLAIN or (judge > STRONG and kinds & {"matter", "annul"})):
        return True
    points = judge > PLAIN or matter > STRONG or log >= PLAIN or "role" in kinds or {"annul", "told"} <= kinds
    strong = judge > PLAIN or matter >= STRONG or any(together <= kinds for together in _TELLING)
    wordy = len(kinds) > 2 or matter > STRONG
    acts = bool(kinds & _ACTS) or {"judge", "log", "matter"} <= kinds
    return bool(points and strong and wordy and acts)


def plain_stems() -> list[str]:
    """The beginnings of words of which a text that is all ASCII needs one to hold an order."""
    return [stem for stem in LEXICON.tables["weighing"]["stems"] if stem.isascii()]


@cache
def _stems() -> tuple[Stems, tuple[str, ...]]:
    """Those in plain letters, which begin words, and the others, which may stand anywhere."""
    stems = dict.fromkeys(LEXICON.tables["weighing"]["stems"])
    return Stems(*plain_stems()), tuple(stem for stem in stems if not stem.isascii())


@cache
def _concepts() -> tuple[tuple[str, float, Finder], ...]:
    return tuple(
        (concept["kind"], float(concept["weight"]), Finder(*concept["patterns"]))
        for concept in LEXICON.tables["concepts"]
    )
