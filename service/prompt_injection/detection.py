"""Text inside a log that talks to the judge instead of the user. Orders to a judge are found whatever their wording, by what they are made of,
counted in a passage."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from ..text.patterns import Finder, Stems
from ..text.words import Span, blank, sentences
from .disguises import LEXICON, View, addresses, codes, turned, views

_KIND = "steering"
_FORM = "form"
# Signs without width that stand side by side: no script needs them so, but bits can be written with them.
_HIDDEN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]{4,}|[\U000e0020-\U000e007e]{8,}")
_STRUCTURAL = frozenset("<[{|=_#`:>\n\u20e3")


def find_steering(text: str) -> list[Span]:
    """The stretches that give orders to a judge, forge its delimiters or its answer, in order; also
    where they are hidden, encoded or in another language.

    A user may rate an item or ask for ratings of one: only the judging of the conversation, or
    of the one who speaks in it, counts."""
    links = addresses(text)
    # Addresses of the web look like code without meaning it.
    found = {
        Span(span.start, span.end, _KIND)
        for view in views(text)
        for span in _in_view(view)
        if span.kind == _KIND or not any(span.overlaps(link) for link in links)
    }
    for span, decoded in codes(text):
        if any(span.overlaps(link) for link in links):
            telling = weighty(decoded.lower()) and any(orders(decoded))
        else:
            telling = not decoded.isascii() or " " in decoded.strip() or any(map(_in_view, views(decoded)))
        if telling:
            found.add(Span(span.start, span.end, _KIND))
    if not text.isascii():
        found.update(Span(match.start(), match.end(), _KIND) for match in _HIDDEN.finditer(text))
    for view in turned(text):
        found.update(Span(span.start, span.end, _KIND) for span in _in_view(view) if span.kind == _KIND)
    return sorted(found)


def _in_view(view: View) -> list[Span]:
    lowered = view.text.lower()
    found = _orders(view, lowered) if not lowered.isascii() or _any_stem().in_any(lowered) else []
    return found if _STRUCTURAL.isdisjoint(lowered) else found + _structures(view)


def _orders(view: View, lowered: str) -> list[Span]:
    patterns = []
    if _stems("english").in_any(lowered):
        patterns += [_english()]
    if not lowered.isascii() or _stems("other").in_any(lowered):
        patterns += [LEXICON.finder("other", "orders")]
    found = [
        view.span(match.start(), match.end(), _KIND)
        for pattern in patterns
        for match in pattern.finditer(view.text)
    ]
    if weighty(lowered):
        found += [view.span(start, end, _KIND) for start, end in orders(view.text)]
    return found


def _structures(view: View) -> list[Span]:
    """Return what looks like code, records or a chat's inner form."""
    matches = LEXICON.finder("structures", "patterns").finditer(view.text)
    return [view.span(match.start(), match.end(), _FORM) for match in matches]


@cache
def _stems(name: str) -> Stems:
    return Stems(*_plain(name))


@cache
def _any_stem() -> Stems:
    """All in one: most messages have none."""
    return Stems(*_plain("english"), *_plain("other"), *plain_stems())


def _plain(name: str) -> list[str]:
    # Of those with other letters none stands in a text that is all ASCII, and others are not asked.
    return [stem for stem in LEXICON.tables["stems"][name] if stem.isascii()]


@cache
def _english() -> Finder:
    groups = [LEXICON.finder("english", name) for name in ("orders", "answers", "forged")]
    return Finder(*(alternative for group in groups for alternative in group.alternatives))


def without_steering(text: str, found: list[Span], *, to_end: bool = False) -> str:
    """The text with every steering attempt blanked to the end of its sentence (with `to_end`: of the text), and whole where it
    stands in a fence or in braces. Positions stay. So text that is addressed to a judge can neither earn nor cost a point. What
    stands before it in the sentence stays: an order must not hide a fault."""
    if not found:
        return text
    blocks = _blocks(text)
    block_starts, block_ends = [block.start for block in blocks], [block.end for block in blocks]
    ends = [sentence.end for sentence in sentences(text)]
    reaches = []
    for span in found:
        first, last = bisect_right(block_ends, span.start), bisect_left(block_starts, span.end) - 1
        start = min([span.start, *block_starts[first : last + 1][:1]])
        index = bisect_left(ends, span.end)
        reach = ends[index] if index < len(ends) else span.end
        reaches.append(Span(start, max([reach, *block_ends[first : last + 1][-1:]]), span.kind))
    if to_end:
        return blank(text, [Span(min(reach.start for reach in reaches), len(text), _KIND)])
    return blank(text, reaches)


def _blocks(text: str) -> list[Span]:
    """Return what stands between fences, and outside them between outermost braces, where these overlap as
    one, in order; one that is not closed reaches to the end."""
    fences = [match.start() for match in re.finditer("```|~~~", text)]
    found = [
        Span(begin, len(text) if end is None else end + 3, _FORM)
        for begin, end in zip_longest(fences[::2], fences[1::2])
    ]
    depth = begin = 0
    for match in re.finditer("[{}]", blank(text, found)):
        if match.group() == "{":
            begin = begin if depth else match.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                found.append(Span(begin, match.end(), _FORM))
    if depth:
        found.append(Span(begin, len(text), _FORM))
    joined: list[Span] = []
    for block in sorted(found):
        if joined and block.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, block.end), _FORM)
        else:
            joined.append(block)
    return joined


PASSAGE = 180
"""Characters in which the parts of an order stand together."""

_ENDS = re.compile(r"[.!?\n]")
PLAIN = 1.0
STRONG = 2.0
_TELLING = (
    frozenset({"log", "matter"}),
    frozenset({"annul", "past", "matter"}),
    frozenset({"log", "best", "order"}),
    frozenset({"role", "matter", "order"}),
)
_ACTS = frozenset({"order", "best", "annul", "past", "role"})
"""Naming a judge and what judges speak of is no order yet."""


class Part(NamedTuple):
    """A word or phrase that orders are made of."""

    start: int
    end: int
    kind: str
    weight: float


def weighty(lowered: str) -> bool:
    """Return whether a text in small letters has any word that an order needs."""
    plain, other = _weighty_stems()
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
    points = judge > PLAIN or matter > STRONG or log >= PLAIN or "role" in kinds or {"annul", "past"} <= kinds
    strong = judge > PLAIN or matter >= STRONG or any(together <= kinds for together in _TELLING)
    wordy = len(kinds) > 2 or matter > STRONG
    acts = bool(kinds & _ACTS) or {"judge", "log", "matter"} <= kinds
    return bool(points and strong and wordy and acts)


def plain_stems() -> list[str]:
    """The beginnings of words of which a text that is all ASCII needs one to hold an order."""
    return [stem for stem in LEXICON.tables["weighing"]["stems"] if stem.isascii()]


@cache
def _weighty_stems() -> tuple[Stems, tuple[str, ...]]:
    """Those in plain letters, which begin words, and the others, which may stand anywhere."""
    stems = dict.fromkeys(LEXICON.tables["weighing"]["stems"])
    return Stems(*plain_stems()), tuple(stem for stem in stems if not stem.isascii())


@cache
def _concepts() -> tuple[tuple[str, float, Finder], ...]:
    return tuple(
        (concept["kind"], float(concept["weight"]), Finder(*concept["patterns"]))
        for concept in LEXICON.tables["concepts"]
    )
