"""Obvious errors of grammar and spelling, found by rules that prefer silence to false alarms."""

from collections.abc import Sequence
from functools import cache, lru_cache

from .....text.patterns import Finders, Lexicon
from .....text.words import Span, outside, straight, word_spans
from .repetition import find_stutters

LEXICON = Lexicon(__package__, "grammar")

_SLIPS = ("article", "agreement", "verb", "comparison", "words", "unfinished")


@lru_cache(maxsize=64)
def find_gaps(plain: str) -> tuple[Span, ...]:
    """Return where a word or a name is missing. Asked for once as an error of language, once as a broken
    text."""
    return tuple(Span(m.start(), m.end(), "gap") for m in LEXICON.finder("slips", "gap").finditer(plain))


def find_errors(
    text: str,
    names: Sequence[Span],
    *,
    tokens: Sequence[Span] | None = None,
    stutters: Sequence[Span] | None = None,
) -> list[Span]:
    """The obvious errors of a text, in order, none overlapping another; `kind` is a key of the wordings `grammar`.

    `names` are stretches that are right as they stand: titles and other proper nouns.
    `tokens` are the text's word spans and `stutters` what stutters among them, where the caller has them already."""
    plain = straight(text)
    tokens = word_spans(text) if tokens is None else tokens
    found = [Span(*match.span(), _SLIPS[slip]) for slip, match in _slips().finditer(plain)]
    found += find_gaps(plain)
    wrong = LEXICON.words("spelling", "wrong")
    found += [Span(token.start, token.end, "spelling") for token in tokens if token.kind in wrong]
    found += find_stutters(tokens) if stutters is None else stutters
    return _disjoint(outside(found, names))


@cache
def _slips() -> Finders:
    return Finders(*(LEXICON.finder("slips", kind) for kind in _SLIPS))


def _disjoint(spans: Sequence[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept
