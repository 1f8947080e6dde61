"""Text inside a log that talks to the judge instead of the user."""

import re
from bisect import bisect_left, bisect_right
from functools import cache
from itertools import zip_longest

from ..text.patterns import Finder, Stems
from ..text.words import Span, blank, sentences
from .decoding import addresses, codes, turned
from .lexicon import LEXICON
from .unmasking import View, views
from .weighing import orders, plain_stems, weighty

_KIND = "steering"
_FORM = "form"
# Signs without width that stand side by side: no script needs them so, but bits can be written with them.
_HIDDEN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]{4,}|[\U000e0020-\U000e007e]{8,}")
_STRUCTURAL = frozenset("<[{|=_#`:>\n\u20e3")


def find_steering(text: str) -> list[Span]:
    """The stretches that give orders to a judge, forge its delimiters or its answer, in order; also
    where they are hidden, encoded or in another language.

    A user may rate an item or ask for ratings of one: only the judging of the conversation, or
    of whoever speaks in it, counts."""
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
            telling = not decoded.isascii() or " " in decoded.strip() or _gives_orders(decoded)
        if telling:
            found.add(Span(span.start, span.end, _KIND))
    if not text.isascii():
        found.update(Span(match.start(), match.end(), _KIND) for match in _HIDDEN.finditer(text))
    for view in turned(text):
        found.update(Span(span.start, span.end, _KIND) for span in _in_view(view) if span.kind == _KIND)
    return sorted(found)


def _gives_orders(text: str) -> bool:
    return any(_in_view(view) for view in views(text))


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
    """The text with every steering attempt blanked to the end of its sentence (with `to_end`: of the text), and whole
    where it stands in a fence or in braces, positions kept, so that what is addressed to a judge can neither earn nor
    cost a point. What stands before it in the sentence stays: an order must not hide a fault."""
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
