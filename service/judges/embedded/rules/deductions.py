"""Deductions of a reply and their sizes: what rules over several observations find, then the plain faults.

They were set by hand: what makes a reply useless costs 2.5 and more of the 4 points, so that one such thing alone
makes it miss; what only weakens it costs less."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from ..wording import table
from .rule import plain_rules

FULL = 4.0
#: A reply that keeps less than this misses the user's intent.
MISSED = 2.0
#: Under the first number a reply surely misses; from the second on it surely serves. What lies between is doubtful,
#: and the session as a whole decides.
SURELY_MISSED, SURELY_SERVED = 0.9, 2.5


#: Points lost. `wording/rules.toml` says how a rationale puts each.
COSTS: Mapping[str, float] = MappingProxyType(
    {
        # whatever the user said
        "empty": 4.0,
        "broken": 3.0,
        "repeats": 2.5,
        "nearly-repeats": 1.0,
        "little-new": 1.0,
        "echoes": 3.0,
        "contradicts-itself": 2.5,
        "dangling": 2.5,
        "of-nothing": 2.5,
        "misquotes": 2.5,
        "answers-nothing": 2.0,
        "greets-again": 2.5,
        # as the encoder reads it: what it costs is said in belonging.py, and it is told last
        "elsewhere": 0.0,
        # what the user wanted
        "nothing-offered": 3.0,
        "only-chats": 1.0,
        "only-promises": 2.0,
        "no-item-named": 3.0,
        "talks-past": 2.5,
        "farewell": 3.5,
        "asks-again": 2.5,
        "asks-known": 1.5,
        "passes-greeting": 2.0,
        "too-soon": 2.5,
        "wrong-kind": 2.5,
        "wrong-time": 2.5,
        "wrong-people": 1.5,
        "other-series": 2.0,
        "too-dear": 2.5,
        "wrong-number": 1.0,
        "partly-wrong": 1.0,
        "unknown-items": 1.0,
        "unwanted-kind": 1.5,
        "named-back": 1.0,
        "offered-before": 1.5,
        "turned-down": 2.5,
        "question-ignored": 3.0,
        "question-thin": 3.0,
        "question-unknown": 1.5,
        "other-item": 2.5,
        "no-reason": 2.5,
        "not-repaired": 3.0,
        "only-offers": 1.5,
        "pushes-on": 2.0,
        # what the user did next
        "objected": 1.5,
        "asked-again": 1.0,
    }
)


class _Losses(Mapping[str, tuple[float, str]]):
    """Points lost and the words of a rationale, of every rule. The rules of `plain/` are imported at the first look-up."""

    @cached_property
    def _rows(self) -> Mapping[str, tuple[float, str]]:
        told = table("losses")
        costs = {**COSTS, **{rule.slug: rule.cost for rule in plain_rules()}}
        return {kind: (cost, told[kind]) for kind, cost in costs.items()}

    def __getitem__(self, kind: str) -> tuple[float, str]:
        return self._rows[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


LOSSES: Mapping[str, tuple[float, str]] = _Losses()


def surely_served(points: float) -> float:
    """Return how sure it is, 0 to 1, that a reply of so many points serves."""
    return min(1.0, max(0.0, (points - SURELY_MISSED) / (SURELY_SERVED - SURELY_MISSED)))
