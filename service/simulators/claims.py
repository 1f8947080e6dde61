"""Read what a recommender claims of an item, as its user reads it: by its words alone."""

import re
from collections.abc import Iterable, Sequence

from ..domain.conversation import Message, Role
from ..text.words import sentences, tokenise
from .guard import mentions, names, touching
from .offers import Offer

_NEGATORS = frozenset(
    [
        "no",
        "not",
        "without",
        "never",
        "lacks",
        "neither",
        "nor",
        "isnt",
        "arent",
        "wasnt",
        "doesnt",
        "dont",
        "cant",
    ]
)
_TURNS = frozenset(("but", "however", "yet", "though", "although"))
_REACH = 8
"""Words that a negation reaches ahead: over a short list, not over a long sentence."""
_LONGEST = 20
"""Words of an attribute that are looked for."""

_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|absolutely|definitely|certainly|sure|indeed|of course|it (?:is|does|has)\b)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:no|nope|not (?:really|quite|exactly)|unfortunately|i'?m afraid|sadly)\b", re.IGNORECASE
)


def belief(
    offer: Offer, wanted: Sequence[str], said: Sequence[Message], others: Iterable[Offer]
) -> dict[str, bool]:
    """Return what a user believes of an item after a session's messages: the wanted attributes that the recommender said it has
    (True), and those that it denied (False).

    Statements count from the sentence that names the item until another one is named. All of a reply counts that answers a
    question about the item. A plain yes or no answers for the attributes that the user asked for. What was said last counts,
    questions never."""
    rivals = [other.title for other in others if other.key != offer.key]
    attributes = Attributes(wanted)
    stand: dict[str, bool] = {}
    question: str | None = None
    for message in said:
        if message.role is Role.USER:
            asked = "?" in message.content and names(offer.title, message.content)
            question = message.content if asked else None
            continue
        if question is not None:
            stand.update(_answered(question, message.content, attributes))
        for sentence in _about(offer.title, message.content, rivals, answering=question is not None):
            stand.update(attributes.in_sentence(sentence))
    return stand


class Attributes:
    """Attributes by the stems of their words: a sentence is read once, however many there are."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[tuple[str, ...], list[str]] = {}
        for name in names:
            if stems := tuple(map(stem, tokenise(name).words[:_LONGEST])):
                self._names.setdefault(stems, []).append(name)
        self._lengths = sorted(set(map(len, self._names)))

    def in_sentence(self, sentence: str) -> dict[str, bool]:
        """Return which attributes a sentence grants (True) and which it denies (False), each by its first mention."""
        words = list(map(stem, tokenise(sentence).words))
        found: dict[tuple[str, ...], bool] = {}
        for first in range(len(words)):
            for length in self._lengths:
                stems = tuple(words[first : first + length])
                if stems in self._names and stems not in found:
                    found[stems] = not _negated(words[max(0, first - _REACH) : first])
        return {name: granted for stems, granted in found.items() for name in self._names[stems]}


def _negated(before: Sequence[str]) -> bool:
    for word, follower in zip(reversed(before), reversed((*before[1:], "")), strict=True):
        if word in _TURNS:
            return False
        if word in _NEGATORS and follower != "only":
            return True
    return False


def _answered(question: str, reply: str, attributes: Attributes) -> dict[str, bool]:
    verdict = True if _YES.match(reply) else False if _NO.match(reply) else None
    return {} if verdict is None else dict.fromkeys(attributes.in_sentence(question), verdict)


def _about(title: str, text: str, rivals: Sequence[str], *, answering: bool) -> list[str]:
    """The statements of a reply that are about an item."""
    own = mentions(title, text)
    plain = text.casefold()
    other = [(at, at + len(rival)) for rival in rivals if (at := plain.find(rival.casefold())) >= 0]
    about = answering
    found = []
    said = sentences(text)
    for sentence, names_it, names_other in zip(said, touching(own, said), touching(other, said), strict=True):
        if names_it:
            about = True
        elif names_other:
            about = False
        if about and not sentence.of(text).rstrip("\"'”) ").endswith("?"):
            found.append(sentence.of(text))
    return found


def stem(word: str) -> str:
    """A word without the ending of a plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
