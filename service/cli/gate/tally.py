"""Preferences between two systems, counted: wins, losses, ties, and the sign test."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import comb

from ..records import Record


@dataclass(frozen=True)
class Tally:
    """Preferences on one factor over all situations. A win is a preference for the candidate; `missing` have no preference. `p` is
    the two-sided sign test of wins against losses, without ties; `worse` the one-sided one, of as many losses or more. `lost`
    names the conversations in which the other system was preferred."""

    factor: str
    wins: int
    losses: int
    ties: int
    missing: int
    lost: Sequence[str] = field(default=())

    @property
    def n(self) -> int:
        """Pairs with a preference, ties among them."""
        return self.wins + self.losses + self.ties

    @property
    def margin(self) -> int:
        """Wins minus losses."""
        return self.wins - self.losses

    @property
    def p(self) -> float:
        """The probability of a split as uneven as this, or more, if wins and losses were equally likely."""
        return sign_test(self.wins, self.losses)

    @property
    def worse(self) -> float:
        """The probability of as many losses, or more, if wins and losses were equally likely."""
        return _at_most(self.wins, self.wins + self.losses)


def sign_test(wins: int, losses: int) -> float:
    """The two-sided sign test (Conover 1999, section 3.4): exact, from the binomial distribution."""
    return min(1.0, 2 * _at_most(min(wins, losses), wins + losses))


def _at_most(k: int, n: int) -> float:
    tail: int = sum(comb(n, below) for below in range(k + 1))
    return float(tail / 2**n)


def tallied(records: Sequence[Record]) -> Iterator[Tally]:
    """The tally of each factor in the order asked, and the overall one at the end. `first` is the baseline's conversation."""
    counts: dict[str, Counter[str | None]] = {}
    lost: dict[str, list[str]] = {}
    for record in records:
        answer = record.answer or {}
        for one in (*answer["preferences"], answer["overall"]):
            counts.setdefault(one["factor"], Counter())[one["preferred"]] += 1
            if one["preferred"] == "first":
                lost.setdefault(one["factor"], []).append(record.conversation)
    for factor, count in counts.items():
        told = lost.get(factor, [])
        yield Tally(factor, count["second"], count["first"], count["tie"], count[None], told)
