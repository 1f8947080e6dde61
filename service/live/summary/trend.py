"""Means of one system by factor and judge, by the hour and by the day.

A model judges a sample. The mean that it would give all conversations is predicted from both judges: Angelopoulos, Duchi and Zrnic, PPI++
(2023), section 6, of a mean."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from ...statistics.permutation import t_quantile

HOUR: Final = 3600
DAY: Final = 86_400
KEPT: Final = {HOUR: 48, DAY: 28}
"""So many of the newest spans are kept, by their length in seconds."""

LEVEL: Final = 0.95
REMEMBERED: Final = 1000
Json = Mapping[str, Any]
_T = TypeVar("_T")


@dataclass
class Sums:
    """The number of values in 0-1, their sum, and the sum of their squares."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.number += 1
        self.total += value
        self.squares += value * value

    def take(self, other: "Sums") -> None:
        self.number += other.number
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> float:
        """The mean; needs at least one value."""
        return self.total / self.number

    @property
    def variance(self) -> float:
        """The variance of the values that were drawn (n - 1); needs at least two."""
        return max(0.0, (self.squares - self.total * self.mean) / (self.number - 1))

    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean within 0-1, by Student's t; None below two values."""
        if self.number < 2:
            return None
        return within(self.mean, self.variance / self.number, self.number - 1)


@dataclass
class Pairs:
    """Sums of conversations that both judges scored, drawn at random: of the judge of all, of the model, and of the products."""

    common: Sums = field(default_factory=Sums)
    model: Sums = field(default_factory=Sums)
    products: float = 0.0

    def add(self, common: float, model: float) -> None:
        self.common.add(common)
        self.model.add(model)
        self.products += common * model

    def estimate(self, everything: Sums) -> "Estimate | None":
        """Estimate the model's mean over all conversations, given the other judge's scores in `everything`;
        None below two pairs."""
        n, rest = self.common.number, everything.number - self.common.number
        if n < 2:
            return None
        if rest < 1:
            return Estimate(everything.number, self.model.mean, self.model.interval())
        others = (everything.total - self.common.total) / rest
        common, model = self.common.variance, self.model.variance
        both = (self.products - self.common.total * self.model.mean) / (n - 1)
        # The weight with the least variance: 0 where the judges have nothing in common.
        weight = both / (common * (1 + n / rest)) if common > 0 else 0.0
        mean = self.model.mean + weight * (others - self.common.mean)
        residual = max(0.0, model - 2 * weight * both + weight**2 * common)
        spread = everything.variance
        bounds = within(mean, residual / n + weight**2 * spread / rest, n - 1)
        return Estimate(everything.number, min(1.0, max(0.0, mean)), bounds)


@dataclass(frozen=True)
class Estimate:
    """A mean of `number` conversations and its 95 % interval."""

    number: int
    mean: float
    bounds: tuple[float, float] | None


def within(mean: float, variance: float, degrees: int) -> tuple[float, float]:
    """The 95 % interval of a mean of this variance by Student's t, within 0-1."""
    half = t_quantile((1 + LEVEL) / 2, degrees) * math.sqrt(variance)
    return max(0.0, mean - half), min(1.0, mean + half)


@dataclass
class Trend:
    """Sums of one system by factor and judge, span and the time at which it begins: `series` of the judge of all conversations,
    `pairs` of the model that judges a sample. `numbers` are those of the last events, which may come again."""

    series: dict[tuple[str, str], dict[int, dict[int, Sums]]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], dict[int, dict[int, Pairs]]] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)

    def see(self, events: Sequence[tuple[int, Json]]) -> None:
        """Count the scored verdicts of judgements that were not counted yet."""
        known = set(self.numbers)
        for number, event in events:
            if number not in known:
                self.numbers.append(number)
                self._count(int(datetime.fromisoformat(event["last_at"]).timestamp()), event)
        self.numbers = self.numbers[-REMEMBERED:]

    def _count(self, at: int, event: Json) -> None:
        drawn = event["model"] == "judged" and "sample" in event["model_reasons"]
        first: dict[str, tuple[str, float]] = {}
        for verdict in event["verdicts"]:
            value = share_of(verdict)
            factor, judge = verdict["factor"], verdict["judge"]
            if value is None:
                continue
            if factor not in first:
                first[factor] = judge, value
                for sums in _spans(self.series, (factor, judge), at, Sums):
                    sums.add(value)
            elif drawn and factor in first:
                for pair in _spans(self.pairs, (factor, judge), at, Pairs):
                    pair.add(first[factor][1], value)

    def estimates(self, span: int) -> Iterator[tuple[str, str, list[tuple[int, Estimate]]]]:
        """Yield factor, model, and the mean that the model would give all conversations of each span."""
        for (factor, judge), spans in sorted(self.pairs.items()):
            everything: dict[int, Sums] = {}
            for (other, _), sums in self.series.items():
                if other == factor:
                    for at, one in sums.get(span, {}).items():
                        everything.setdefault(at, Sums()).take(one)
            found = [(at, pair.estimate(everything[at])) for at, pair in sorted(spans.get(span, {}).items())]
            yield factor, judge, [(at, one) for at, one in found if one]

    def points(self, span: int) -> Iterator[tuple[str, str, list[tuple[int, Sums]]]]:
        """Yield factor, judge, and the sums of each span in the order of time."""
        for (factor, judge), spans in sorted(self.series.items()):
            yield factor, judge, sorted(spans.get(span, {}).items())

    def dump(self) -> bytes:
        series = [[*key, _rows(spans, _flat)] for key, spans in self.series.items()]
        pairs = [
            [*key, _rows(spans, lambda one: [*_flat(one.common), *_flat(one.model), round(one.products, 6)])]
            for key, spans in self.pairs.items()
        ]
        content = {"series": series, "pairs": pairs, "numbers": self.numbers}
        return json.dumps(content, separators=(",", ":")).encode()

    @classmethod
    def load(cls, kept: bytes | None) -> "Trend":
        """Read what `dump` wrote; an empty one where there is nothing."""
        if kept is None:
            return cls()
        found = json.loads(kept)
        trend = cls(numbers=found["numbers"])
        for factor, judge, rows in found["series"]:
            for span, at, *sums in rows:
                trend.series.setdefault((factor, judge), {}).setdefault(span, {})[at] = Sums(*sums)
        for factor, judge, rows in found["pairs"]:
            for span, at, *sums in rows:
                pair = Pairs(Sums(*sums[:3]), Sums(*sums[3:6]), sums[6])
                trend.pairs.setdefault((factor, judge), {}).setdefault(span, {})[at] = pair
        return trend


def share_of(verdict: Json) -> float | None:
    """The score on 0-1 of people's scale where it is known, else of the factor's own."""
    width = verdict["scale_max"] - verdict["scale_min"]
    if verdict["score"] is None or not width:
        return None
    calibrated: float | None = verdict["calibrated"]
    return (verdict["score"] - verdict["scale_min"]) / width if calibrated is None else calibrated


def _spans(
    held: dict[tuple[str, str], dict[int, dict[int, _T]]], key: tuple[str, str], at: int, make: type[_T]
) -> Iterator[_T]:
    """The sums of a time, by the hour and by the day; those that are too old go."""
    for span, most in KEPT.items():
        sums = held.setdefault(key, {}).setdefault(span, {})
        yield sums.setdefault(at - at % span, make())
        for old in sorted(sums)[:-most]:
            del sums[old]


def _rows(spans: dict[int, dict[int, _T]], flat: Callable[[_T], list[float]]) -> list[list[float]]:
    return [[span, at, *flat(one)] for span, sums in spans.items() for at, one in sums.items()]


def _flat(sums: Sums) -> list[float]:
    return [sums.number, round(sums.total, 6), round(sums.squares, 6)]
