"""Price limits in a text: the most or the least that somebody wants to pay."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..text.words import sentences, straight
from .money import Amount, amounts

BESIDE = 100
"""Characters before and after an amount or a value that say how it is meant."""

_MOST = re.compile(
    r"\b(?:under|below|less than|cheaper than|up to|at most|(?:no|not) more than|within|maximum(?: of)?|max(?: of)?|not over|not above"
    r"|(?:budget|limit) (?:of|is)(?: only)?|spend(?: only)?) (?:my budget of )?\Z",
    re.IGNORECASE,
)
_MOST_AFTER = re.compile(
    r"\A ?(?:max\b|maximum\b|tops\b|at most\b|or (?:less|under|below|cheaper)\b|budget\b)", re.IGNORECASE
)
_LEAST = re.compile(r"\b(?:at least|no less than|not less than|minimum(?: of)?) \Z", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween \Z", re.IGNORECASE)
_MONEY = re.compile(r"\b(?:budget|spend|pay|price|cost|costs)\b", re.IGNORECASE)
_OTHER_UNIT = re.compile(r"\A ?(?:per (?:person|month|week|head|day)|each\b|a (?:person|month|week|head|piece)|off\b|in total\b|altogether\b)", re.IGNORECASE)  # fmt: skip
_VAGUE = re.compile(r"\b(?:ideally|preferably|if possible|would be nice|roughly|around|about|maybe|perhaps|approximately|or so)\b", re.IGNORECASE)  # fmt: skip
_PAST = re.compile(
    r"\b(?:had|was|were|bought|paid|saw|seen|watched|own|owned|used to|last (?:year|week|month|time)|my (?:old|current|last)"
    r"|(?:already|i) have|i've)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound of what somebody wants to pay: an upper one, or a lower one."""

    amount: Amount
    upper: bool


def vague(line: str) -> bool:
    """Return whether a sentence only leans to what it names: "ideally", "about"."""
    return _VAGUE.search(line) is not None


def of_the_past(line: str) -> bool:
    """Return whether a sentence tells what was: "I paid 300 dollars for my old one"."""
    return _PAST.search(line) is not None


def price_limit(text: str) -> float | None:
    """Return the most that somebody wants to pay, in the currency that they speak of: the last one told. None where no amount of
    money is an upper limit."""
    last = None
    for sentence in sentences(text := straight(text)):
        line = sentence.of(text)
        for limit in limits(line) if not of_the_past(line) else ():
            last = limit.amount.value if limit.upper else last
    return last


def limits(line: str) -> Iterator[Limit]:
    """Yield the limits of a sentence that names money. A vague sentence has none."""
    found = list(amounts(line))
    if not found or vague(line):
        return
    money = _MONEY.search(line) is not None
    for place, amount in enumerate(found):
        before, after = (
            line[max(0, amount.start - BESIDE) : amount.start],
            line[amount.end : amount.end + BESIDE],
        )
        following = found[place + 1] if place + 1 < len(found) else None
        if (
            following
            and _BETWEEN.search(before)
            and line[amount.end : following.start].strip() in {"and", "-", "to"}
        ):
            unit = amount.currency or following.currency
            if unit or money:
                yield Limit(Amount(amount.value, unit), upper=False)
                yield Limit(Amount(following.value, unit), upper=True)
            return
        if (amount.currency is None and not money) or _OTHER_UNIT.match(after):
            continue
        if _MOST.search(before) or _MOST_AFTER.match(after):
            yield Limit(Amount(amount.value, amount.currency), upper=True)
        elif _LEAST.search(before):
            yield Limit(Amount(amount.value, amount.currency), upper=False)
