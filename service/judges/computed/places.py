"""Replies about another city than the one that the user wants, in plain text: no data about items is needed."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from ...domain.conversation import ConversationLog, Role
from ...domain.verdict import DetectedFault
from ...text.words import excerpt, sentences, straight

PROBABILITY = 0.8
"""Probability of such a reply. A city may be named for another reason, so that none is certain."""
_NOT_WANTED = re.compile(
    r"\b(?:from|leaving|born|based|made|filmed|set|shot|grew up|lived?|back|stud(?:y|ied)|was|were) (?:\w+ ){0,2}\Z", re.IGNORECASE
)  # fmt: skip
"""Words before a city that somebody comes from, or a story is set in."""
_OWNS_UP = re.compile(
    r"\b(?:sorry|unfortunately|instead|away|outside|nearby|also|too|although|though|but|no|not|none|nothing|only|nearest|closest|next|change|via"
    r"|minutes|hours?|km|miles|set|filmed|story|takes? place|born|like|than|as)\b|n't\b",
    re.IGNORECASE,
)
"""Words by which a reply names the other city openly, or says where a story is set."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a city that a user wants, and one that a reply speaks of. A capital behind it makes it part of a name."""
    cities = "|".join(map(re.escape, (files(__package__) / "cities.txt").read_text("utf-8").split()))
    return (
        re.compile(rf"(?:\A|\b(?:in|to|of|near|around|for|visit(?:ing)?) )({cities})\b(?![ -][A-Z])(?!'s\b)"),
        re.compile(rf"(?<![\"\u201c(])(?:\b(?:in|near|to|of|[Aa]round)|,) ({cities})\b(?![ -][A-Z])"),
    )


def places_missed(log: ConversationLog) -> Iterator[DetectedFault]:
    """Yield each reply that names a city, but not the only one that the user wants, with both quotes."""
    wants, says = _patterns()
    wanted: dict[str, str] = {}
    heard = ""
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            wanted = dict(_cities(text, wants)) or wanted
        elif message.is_reply and len(wanted) == 1 and not _OWNS_UP.search(text):
            [(city, said)] = wanted.items()
            other = next((line for name, line in _cities(text, says) if name not in heard), None)
            if other and city not in text:
                yield DetectedFault("breaks-constraint", at, PROBABILITY, quotes=(said, other))
        heard += f" {text}"


def _cities(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    for sentence in sentences(text):
        line = sentence.of(text)
        for match in pattern.finditer(line):
            if not _NOT_WANTED.search(line[: match.start()]):
                yield match[1], excerpt(line)
