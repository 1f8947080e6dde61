"""Manners and feelings: words that offend or are curt, and how a reply treats the user as a person (sympathy, kind words,
opinions, memory). They also tell how content a note of feelings sounds."""

import re
from collections.abc import Sequence
from functools import cache

from .....text.patterns import Finders, Lexicon
from .....text.words import Span, outside, straight, words

DISCOURTESY = Lexicon(__package__, "courtesy")

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
    return Finders(*(DISCOURTESY.finder(kind) for kind in _LAPSES))


CARE = Lexicon(__package__, "care")

#: Kinds of wording that attend to this user, the surest first.
ATTENTIVE = ("sympathy", "recall", "praise", "opinion")
COURTESY = "courtesy"


def find_care(text: str, names: Sequence[Span] = ()) -> Span | None:
    """The first stretch that attends to the user, `kind` a key of the lexicon; else one that is merely
    courteous; None where there is neither. `names` are titles, in which nothing is said."""
    plain = straight(text)
    for kind in (*ATTENTIVE, COURTESY):
        found = [Span(m.start(), m.end(), kind) for m in CARE.finder(kind).finditer(plain)]
        clear = outside(found, names)
        if clear:
            return clear[0]
    return None


def gives_occasion(text: str) -> bool:
    """Return whether a user's message shows a mood, an experience or people of their life: something to
    meet."""
    return bool(CARE.finder("occasion").search(straight(text)))


FEELINGS = Lexicon(__package__, "feelings")

#: A word that turns a feeling round stands at most so many words before it.
REACH = 3
#: Characters before a phrase in which such a word is looked for.
LOOK_BACK = 120
#: Weight of a note about the recommender, where one about the user's own mood weighs 1.
OF_THE_RECOMMENDER = 2.0


def contentment(note: str) -> float | None:
    """Return how content a note sounds, 0 (discontent) to 1 (content); None where it tells of no feeling.
    Phrases count like words, and what stands within `REACH` words after a word that turns it round counts
    as its opposite."""
    told: list[bool] = []
    plain = straight(note)
    for phrase, glad in (("content", True), ("discontent", False)):
        pattern = FEELINGS.finder(phrase)
        told += [
            glad is not _turned(words(plain[max(0, match.start() - LOOK_BACK) : match.start()]))
            for match in pattern.finditer(plain)
        ]
        plain = pattern.sub(" ; ", plain)
    tokens = words(plain)
    for index, token in enumerate(tokens):
        feeling = _is(token, "positive") - _is(token, "negative")
        if feeling:
            told.append((feeling > 0) is not _turned(tokens[max(0, index - REACH) : index]))
    return sum(told) / len(told) if told else None


def _turned(before: Sequence[str]) -> bool:
    return not FEELINGS.words("turning").isdisjoint(before[-REACH:])


def weight(note: str) -> float:
    """Return what a note weighs: twice as much where it speaks of the recommender or of what it said."""
    return OF_THE_RECOMMENDER if any(_is(token, "about") for token in words(note)) else 1.0


def _is(token: str, kind: str) -> bool:
    return bool(_pattern(kind).fullmatch(token))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return _any_of(sorted(FEELINGS.words(kind)))


def _any_of(entries: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(entry).replace(r"\*", r"\w*") for entry in entries))
