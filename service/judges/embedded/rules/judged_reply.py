"""A turn's reply with its score and the reasons for it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from importlib.resources import files
from types import MappingProxyType

from ....text.words import excerpt
from ..observations.naming import Named
from ..observations.reading import Exchange
from ..wording import table
from .findings import Exhibit
from .rule import plain_rules

#: The user's acts that show that a reply was taken up, as the learned acts call them.
TAKEN_UP = ("ANS", "CRI-A", "INQ", "SEE", "PRO")
#: Signals that a rationale words alike.
NOT_TAKEN_UP = dict.fromkeys((*(f"then-{act}" for act in TAKEN_UP), "takes-up-words"), "not-taken-up")


class Lead(StrEnum):
    """The way in which a reply moves the user on: not at all, by suggesting something new (or asking
    whether an item is known), by asking about wishes or offering a next step."""

    NOT = "not"
    SUGGESTS = "suggests"
    ASKS = "asks"


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


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn's reply: how well it served, 0-4 (`score`), the points that the rules leave it (`points`), and why it
    lost the others (`kinds`, keys of `LOSSES`). `lead` says how it moves the user on; `answers` whether
    it serves what was wanted, whatever the user did next; `fresh` are the items it offers for the first time;
    `offers` whether it offers any, `fit` how far they are of the kinds asked for, -1 to 1, 0 where that
    is not known; `signals` what the learned models see of it."""

    exchange: Exchange
    points: float
    kinds: tuple[str, ...]
    lead: Lead
    answers: bool
    fresh: tuple[Named, ...]
    offers: bool
    fit: float
    score: float = FULL
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def missed(self) -> bool:
        return self.score < MISSED

    @property
    def exhibit(self) -> Exhibit:
        """The reply, with its heaviest reasons."""
        read = self.exchange.reply[0]
        reasons = sorted(self.kinds, key=lambda kind: -LOSSES[kind][0])[:2]
        matter = " and ".join(LOSSES[kind][1] for kind in reasons)
        if not reasons:
            against = speaks_against(self.signals) if self.score < FULL else ""
            told = table("signals")
            matter = told[NOT_TAKEN_UP.get(against, against) or "serves"]
        quote = excerpt(read.text)
        return Exhibit(read, quote, matter, FULL - self.score)


Signals = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Weighing:
    """Mean, spread and weight of each signal; the sum is in points around `level`."""

    level: float
    mean: Signals
    spread: Signals
    weight: Signals

    def shares(self, signals: Signals) -> dict[str, float]:
        """Return what each signal adds to or takes from the level, in points; one that is not known does
        neither."""
        return {
            name: weight * (signals[name] - self.mean[name]) / self.spread[name]
            for name, weight in self.weight.items()
            if name in signals
        }

    def points(self, signals: Signals) -> float:
        """0 to 4 for one reply."""
        return min(FULL, max(0.0, self.level + sum(self.shares(signals).values())))


def serves(signals: Sequence[Signals]) -> list[float]:
    """Return how well each reply serves the user, in points of 4."""
    return [weighing("relevance").points(each) for each in signals]


def carries_on(signals: Sequence[Signals]) -> list[float]:
    """Return how far each reply carries the user on, in points of 4."""
    return [weighing("interest").points(each) for each in signals]


def speaks_against(signals: Signals) -> str:
    """The signal that takes most from how well a reply serves the user; empty where none takes anything."""
    shares = weighing("relevance").shares(signals)
    name = min(shares, key=lambda name: shares[name], default="")
    return name if name and shares[name] < 0 else ""


@cache
def weighing(name: str) -> Weighing:
    """The stored weighing of that name."""
    return Weighing(**json.loads(_stored(name)))


def _stored(name: str) -> str:
    return (files(__package__) / f"{name}.json").read_text(encoding="utf-8")
