"""Text inside a log that talks to the judge instead of the user."""

import codecs
import re
from bisect import bisect_left
from functools import cache

from . import lexicon
from .spans import Span, blank
from .unmasking import View, codes, views
from .words import sentences

_KIND = "steering"


def find_steering(text: str) -> list[Span]:
    """The stretches that give orders to a judge, forge its delimiters or its answer, in order; also
    where they are hidden, encoded or in another language.

    A user may rate an item or ask for ratings of one: only the judging of the conversation, or
    of whoever speaks in it, counts."""
    found = {span for view in views(text) for span in _in_view(view)}
    for span, decoded in codes(text):
        if _in_view(View(decoded)):
            found.add(Span(span.start, span.end, _KIND))
    if any(stem in text.lower() for stem in lexicon.load("steering")["rot13"]["stems"]):
        found.update(_in_view(View(codecs.decode(text, "rot13"))))
    return sorted(found)


def _in_view(view: View) -> list[Span]:
    lowered = view.text.lower()
    stems = lexicon.load("steering")["stems"]
    patterns = []
    if any(stem in lowered for stem in stems["english"]):
        patterns += [_english()]
    if not lowered.isascii() or any(stem in lowered for stem in stems["other"]):
        patterns += [lexicon.compiled("steering", "other", "orders")]
    return [
        view.span(match.start(), match.end(), _KIND)
        for pattern in patterns
        for match in pattern.finditer(view.text)
    ]


@cache
def _english() -> re.Pattern[str]:
    groups = [lexicon.compiled("steering", "english", name) for name in ("orders", "answers", "forged")]
    return re.compile("|".join(group.pattern for group in groups), re.IGNORECASE | re.MULTILINE)


def without_steering(text: str, found: list[Span]) -> str:
    """The text with every steering attempt blanked to the end of its sentence, positions kept, so that
    what is addressed to a judge can neither earn nor cost a point. What stands before it in the
    sentence stays: an order must not hide a fault."""
    if not found:
        return text
    ends = [sentence.end for sentence in sentences(text)]
    reaches = []
    for span in found:
        index = bisect_left(ends, span.end)
        reaches.append(Span(span.start, ends[index] if index < len(ends) else span.end, span.kind))
    return blank(text, reaches)
