"""Read what a recommender claims of an item, as its user reads it: by its words alone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domain.conversation import Message, Role
from ..text.normalise import tokenise
from ..text.words import sentences
from .guard import mentions, names
from .offers import Offer

_NEGATORS = frozenset(
    (
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
    )
)
_TURNS = frozenset(("but", "however", "yet", "though", "although"))
_REACH = 8
"""Words that a negation reaches ahead: over a short list, not over a long sentence."""

_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|absolutely|definitely|certainly|sure|indeed|of course|it (?:is|does|has)\b)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:no|nope|not (?:really|quite|exactly)|unfortunately|i'?m afraid|sadly)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Belief:
    """Wanted attributes that the recommender said an item has, and those that it denied."""

    claimed: frozenset[str]
    denied: frozenset[str]


NOTHING = Belief(frozenset(), frozenset())


def belief(offer: Offer, wanted: Sequence[str], said: Sequence[Message], others: Iterable[Offer]) -> Belief:
    """Return what a user believes of an item after a session's messages.

    Statements count from the sentence on that names the item until another one is named, and all
    of a reply that answers a question about the item. A plain yes or no answers for the attributes
    that the user asked for. What was said last counts, questions never."""
    rivals = [other.title for other in others if other.key != offer.key]
    stand: dict[str, bool] = {}
    question: str | None = None
    for message in said:
        if message.role is Role.USER:
            asked = "?" in message.content and names(offer.title, message.content)
            question = message.content if asked else None
            continue
        if question is not None:
            stand.update(_answered(question, message.content, wanted))
        for sentence in _about(offer.title, message.content, rivals, answering=question is not None):
            for attribute in wanted:
                said_so = speaks_of(attribute, sentence)
                if said_so is not None:
                    stand[attribute] = said_so
    return Belief(
        frozenset(attribute for attribute, has in stand.items() if has),
        frozenset(attribute for attribute, has in stand.items() if not has),
    )


def speaks_of(attribute: str, sentence: str) -> bool | None:
    """Return whether a sentence grants an attribute (True), denies it (False) or does not mention it."""
    wanted = [stem(word) for word in tokenise(attribute).words]
    words = [stem(word) for word in tokenise(sentence).words]
    if not wanted:
        return None
    for first in range(len(words) - len(wanted) + 1):
        if words[first : first + len(wanted)] == wanted:
            return not _negated(words[max(0, first - _REACH) : first])
    return None


def _negated(before: Sequence[str]) -> bool:
    for word, follower in zip(reversed(before), reversed((*before[1:], "")), strict=True):
        if word in _TURNS:
            return False
        if word in _NEGATORS and follower != "only":
            return True
    return False


def _answered(question: str, reply: str, wanted: Sequence[str]) -> dict[str, bool]:
    verdict = True if _YES.match(reply) else False if _NO.match(reply) else None
    if verdict is None:
        return {}
    return {attribute: verdict for attribute in wanted if speaks_of(attribute, question) is not None}


def _about(title: str, text: str, rivals: Sequence[str], *, answering: bool) -> list[str]:
    """The statements of a reply that are about an item."""
    own = mentions(title, text)
    plain = text.casefold()
    other = [(at, at + len(rival)) for rival in rivals if (at := plain.find(rival.casefold())) >= 0]
    about = answering
    found = []
    for sentence in sentences(text):
        if any(sentence.start < end and start < sentence.end for start, end in own):
            about = True
        elif any(sentence.start < end and start < sentence.end for start, end in other):
            about = False
        if about and not sentence.of(text).rstrip("\"'”) ").endswith("?"):
            found.append(sentence.of(text))
    return found


def stem(word: str) -> str:
    """A word without the ending of a plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
