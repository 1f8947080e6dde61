"""Replies whose amounts, in minutes, kilos or metres, all break the user's limit: no data about items is needed."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...domain.conversation import ConversationLog, Role
from ...domain.verdict import DetectedFault
from ...grounding.money import BESIDE, bounds
from ...text.negation import rules_out
from ...text.words import excerpt, sentence_at, sentences, straight

PROBABILITY = 0.8
"""Probability of such an offer. None is certain, since the amount may measure something else."""
_UNITS = {
    "minutes": (r"minutes?|mins?", 1), "hours": (r"hours?|hrs?|h", 60), "days": (r"days?", 1), "nights": (r"nights?", 1), "weeks": (r"weeks?", 1),
    "centimetres": (r"cm|centimet(?:er|re)s?", 1), "metres": (r"m|met(?:er|re)s?", 100), "inches": (r"inch(?:es)?", 1),
    "kilometres": (r"km|kilomet(?:er|re)s?", 1), "miles": (r"miles?", 1), "kilos": (r"kg|kilos?|kilograms?", 1000), "grams": (r"g|grams?", 1),
    "gigabytes": (r"gb|gigs?|gigabytes?", 1), "terabytes": (r"tb|terabytes?", 1000), "litres": (r"l|lit(?:er|re)s?", 1),
    "pages": (r"pages?|pp", 1), "players": (r"players?", 1), "watts": (r"w|watts?", 1), "people": (r"people|persons?|guests?", 1),
}  # fmt: skip
"""Units, as they are written, with their size in the smallest unit of their dimension."""
_DIMENSION = {"hours": "minutes", "metres": "centimetres", "kilos": "grams", "terabytes": "gigabytes"}
_WRITTEN = "|".join(f"(?P<{name}>{pattern})" for name, (pattern, _) in _UNITS.items())
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MINUTES = re.compile(r",? ?(?:and )?(?P<number>[1-5]?\d) ?m(?:in(?:ute)?s?)?\b", re.IGNORECASE)
"""Minutes after hours, as part of one amount."""
_AMOUNT = re.compile(
    rf"(?<![\w.,$€£-])(?:(?P<low>\d{{1,4}}(?:[.,]\d{{1,2}})?) ?(?:-|\u2013|to) ?)?(?P<number>\d{{1,4}}(?:[.,]\d{{1,2}})?|{'|'.join(_WORDS)})[ -]?(?:{_WRITTEN})\b",
    re.IGNORECASE,
)
_THAN = re.compile(
    r"\b(?:(?P<less>less|shorter|lighter|smaller|fewer)|more|longer|heavier|bigger|larger|wider|taller|higher|further|farther) than \Z", re.IGNORECASE
)  # fmt: skip
"""A comparison. Negation reverses it: "nothing longer than two hours" is a limit."""
_OWNS_UP = re.compile(
    r"\b(?:above|over|more than|beyond|exceeds?|unfortunately|sorry|although|though|however|but|nothing|none|slightly|a (?:bit|hair)|just|instead|only|longer|shorter|leaving"
    r"|not|no|total|altogether)\b|n't\b",
    re.IGNORECASE,
)  # fmt: skip
"""Words by which a reply admits that an item breaks the limit."""


class Quantity(NamedTuple):
    """An amount of a dimension, from `low` to `high` in its smallest unit, at its place in a text."""

    dimension: str
    low: float
    high: float
    start: int
    end: int


class Bound(NamedTuple):
    """The most or the least that the user accepts, with the sentence that says so."""

    value: float
    is_most: bool
    said: str


def quantities_broken(log: ConversationLog) -> Iterator[DetectedFault]:
    """Yield each reply all of whose amounts of a dimension break a limit that the user has just set, with both quotes. Later amounts
    may be about something else."""
    held: dict[str, Bound] = {}
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            held = dict(_bounds(text))
        elif message.is_reply and held and not _OWNS_UP.search(text):
            found = [one for one in _quantities(text) if one.dimension in held]
            for dimension, bound in held.items():
                own = [one for one in found if one.dimension == dimension]
                if own and all(
                    one.low > bound.value if bound.is_most else one.high < bound.value for one in own
                ):
                    line = sentence_at(text, own[0].start).of(text)
                    yield DetectedFault(
                        "breaks-constraint", at, PROBABILITY, quotes=(bound.said, excerpt(line))
                    )
                    break


def _quantities(text: str) -> Iterator[Quantity]:
    reached = 0
    for match in _AMOUNT.finditer(text):
        if match.start() < reached:
            continue
        name = next(one for one in _UNITS if match[one])
        size = _UNITS[name][1]
        high = _number(match["number"]) * size
        low = _number(match["low"]) * size if match["low"] else high
        minutes = _MINUTES.match(text, match.end()) if name == "hours" else None
        more = int(minutes["number"]) if minutes else 0
        reached = minutes.end() if minutes else match.end()
        yield Quantity(_DIMENSION.get(name, name), low + more, high + more, match.start(), match.end())


def _number(written: str) -> float:
    small = written.lower()
    return float(_WORDS.index(small) + 1) if small in _WORDS else float(small.replace(",", "."))


def _bounds(text: str) -> Iterator[tuple[str, Bound]]:
    for sentence in sentences(text):
        line = sentence.of(text)
        for one in _quantities(line):
            before, after = line[max(0, one.start - BESIDE) : one.start], line[one.end : one.end + BESIDE]
            if (is_most := _is_most(line, one, before, after)) is not None:
                yield one.dimension, Bound(one.high, is_most, excerpt(line))


def _is_most(line: str, one: Quantity, before: str, after: str) -> bool | None:
    """Return True if an amount is a user's upper limit, False if a lower one, None if neither."""
    if than := _THAN.search(before):
        return None if line.endswith("?") else bool(than["less"]) != rules_out(line, one.start, one.end)
    return bounds(before, after)
