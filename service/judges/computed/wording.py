"""Faults of wording that patterns show: slips of grammar, broken stretches, words that offend."""

import re
from collections.abc import Iterator, Sequence

from ...catalogue.catalogue import Catalogue
from ...catalogue.title_guesses import guess_titles
from ...domain.conversation import ConversationLog
from ...domain.verdict import DetectedFault
from ...text.language import find_degenerate, find_errors, is_english
from ...text.patterns import Lexicon
from ...text.words import Span, excerpt, outside, straight, words

SLIP, BROKEN, OFFENCE, CURT = 0.8, 0.7, 0.9, 0.55
"""Probabilities of a fault where its pattern is found."""
_LEXICON = Lexicon(__package__, "courtesy")
_OFFENCES = ("discriminatory", "sexual", "vulgar", "insult")
_LAPSES = (*_OFFENCES, "curt")
_MAY_BE_NAMES = frozenset({"vulgar", "sexual"})
"""Offences of a single word, which may be a part of a name: "the Gentleman Bastard series"."""
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: (?:of |the |and )?[A-Z][a-z]+)+")
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d\n]{1,300})[\"\u201d]")


def names_in(text: str, titles: Catalogue | None) -> list[Span]:
    """Return the titles in a text, known or marked, and the words in quotation marks: named, not said."""
    known = [Span(each.start, each.end, "title") for each in titles.find(text)] if titles else []
    guessed = [Span(each.start, each.end, "title") for each in guess_titles(text)]
    quoted = [Span(*match.span(), "quoted") for match in _QUOTED.finditer(text)]
    return [*known, *guessed, *quoted]


def wording_faults(log: ConversationLog, titles: Catalogue | None) -> Iterator[DetectedFault]:
    """Yield the likely faults of each reply's wording; a slip that is made again counts once."""
    known: set[str] = set()
    for at in log.replies:
        text = log.messages[at].content
        if not text.strip():
            continue
        names = names_in(text, titles)
        if is_english(words(text)):
            for slip in find_errors(text, names):
                wrong = slip.of(text)
                if wrong.casefold() not in known:
                    known.add(wrong.casefold())
                    yield DetectedFault("broken-grammar", at, SLIP, quotes=(excerpt(wrong),))
        if broken := find_degenerate(text, names):
            yield DetectedFault("unintelligible", at, BROKEN, quotes=(excerpt(broken[0].of(text)),))
        yield from _discourtesy(at, text, names)


def _discourtesy(at: int, text: str, names: Sequence[Span]) -> Iterator[DetectedFault]:
    plain = straight(text)
    found = [
        Span(*match.span(), lapse) for lapse in _LAPSES for match in _LEXICON.finder(lapse).finditer(plain)
    ]
    called = [Span(*match.span(), "name") for match in _NAMES.finditer(plain)] if found else []
    said = set(outside(found, called))
    meant = outside((span for span in found if span in said or span.kind not in _MAY_BE_NAMES), names)
    for span in sorted(meant, key=lambda span: span.kind == "curt")[:1]:
        chance = CURT if span.kind == "curt" else OFFENCE
        yield DetectedFault("rude", at, chance, quotes=(excerpt(span.of(text)),))
