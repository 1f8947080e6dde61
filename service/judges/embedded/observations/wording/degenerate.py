"""Text that no person would write: loops, word salad, rests of templates and markup."""

from collections.abc import Sequence
from functools import cache

from .....text.patterns import Finders, Lexicon
from .....text.words import Span, outside, straight, word_spans, words
from .grammar import find_gaps
from .repetition import find_stutters, loop_share

LEXICON = Lexicon(__package__, "degenerate")

#: From this share of repeated three-word runs a text reads as a loop.
LOOP = 0.2
#: Under this share of distinct words, in sentences of `SALAD_WORDS` and more, prose has become salad.
SALAD = 0.5
SALAD_WORDS = 14
_RESTS = ("placeholder", "leakage", "noise")


def find_degenerate(
    text: str, names: Sequence[Span], *, stutters: Sequence[Span] | None = None
) -> list[Span]:
    """The stretches of a text that are broken as text; `kind` is a key of the wordings `faults`. `names` are
    titles, in which a doubled word or an odd spelling is right; `stutters` the text's where the caller has them already."""
    plain = straight(text)
    stutters = find_stutters(word_spans(text)) if stutters is None else stutters
    found = [Span(*match.span(), _RESTS[rest]) for rest, match in _rests().finditer(plain)]
    found += find_gaps(plain)
    found += [stutter for stutter in stutters if stutter.kind == "stutter"]
    return outside(found, names)


def circling(sentence: str) -> str | None:
    """Return whether a sentence is a `loop` of phrases or a `salad` of few words; None for prose."""
    tokens = words(sentence)
    if loop_share(tokens) >= LOOP:
        return "loop"
    if len(tokens) >= SALAD_WORDS and len(set(tokens)) < SALAD * len(tokens) and len(tokens) < 200:
        return "salad"
    return None


@cache
def _rests() -> Finders:
    return Finders(*(LEXICON.finder(kind) for kind in _RESTS))
