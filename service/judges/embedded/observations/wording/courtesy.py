"""Words that offend, and words that are merely curt."""

import re
from collections.abc import Sequence
from functools import cache

from .....text.patterns import Finders, Lexicon
from .....text.words import Span, outside, straight

LEXICON = Lexicon(__package__, "courtesy")

#: Offences of a single word, which may be a part of a name.
_WORDS = frozenset({"vulgar", "sexual"})
#: Capitalised words in the middle of a sentence: "the Gentleman Bastard series".
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: (?:of |the |and )?[A-Z][a-z]+)+")
OFFENCES = ("discriminatory", "sexual", "vulgar", "insult")
_LAPSES = (*OFFENCES, "curt")


def find_discourtesy(text: str, names: Sequence[Span]) -> list[Span]:
    """Offences and lapses of courtesy, in order; `kind` is a key of the wordings `courtesy`. `names` are titles and
    quoted words: what a film is called is no offence of the one who names it."""
    plain = straight(text)
    found = [Span(*match.span(), _LAPSES[lapse]) for lapse, match in _lapses().finditer(plain)]
    if not found:
        return []
    called = [Span(match.start(), match.end(), "name") for match in _NAMES.finditer(plain)]
    said = set(outside(found, called))
    return outside((span for span in found if span in said or span.kind not in _WORDS), names)


@cache
def _lapses() -> Finders:
    return Finders(*(LEXICON.finder(kind) for kind in _LAPSES))
