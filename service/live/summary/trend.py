"""Means of one system by factor and judge, by the hour and by the day."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from ...statistics.student import t_quantile

HOUR: Final = 3600
DAY: Final = 86_400
KEPT: Final = {HOUR: 48, DAY: 28}
"""So many of the newest spans are kept, by their length in seconds."""

LEVEL: Final = 0.95
REMEMBERED: Final = 1000
Json = Mapping[str, Any]


@dataclass
class Sums:
    """The number of values in 0-1, their sum, and the sum of their squares."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.number += 1
        self.total += value
        self.squares += value * value

    @property
    def mean(self) -> float:
        """The mean; needs at least one value."""
        return self.total / self.number

    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean within 0-1, by Student's t; None below two values."""
        if self.number < 2:
            return None
        variance = max(0.0, (self.squares - self.total * self.mean) / (self.number - 1))
        half = t_quantile((1 + LEVEL) / 2, self.number - 1) * math.sqrt(variance / self.number)
        return max(0.0, self.mean - half), min(1.0, self.mean + half)


@dataclass
class Trend:
    """Sums of one system by factor and judge, span and the time at which it begins. `numbers` are those of the last events,
    which may come again."""

    series: dict[tuple[str, str], dict[int, dict[int, Sums]]] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)

    def see(self, events: Sequence[tuple[int, Json]]) -> None:
        """Count the scored verdicts of judgements that were not counted yet."""
        known = set(self.numbers)
        for number, event in events:
            if number not in known:
                self.numbers.append(number)
                at = int(datetime.fromisoformat(event["judged_at"]).timestamp())
                for verdict in event["verdicts"]:
                    self._count(at, verdict)
        self.numbers = self.numbers[-REMEMBERED:]

    def _count(self, at: int, verdict: Json) -> None:
        width = verdict["scale_max"] - verdict["scale_min"]
        if verdict["score"] is None or not width:
            return
        spans = self.series.setdefault((verdict["factor"], verdict["judge"]), {})
        for span, most in KEPT.items():
            sums = spans.setdefault(span, {})
            sums.setdefault(at - at % span, Sums()).add((verdict["score"] - verdict["scale_min"]) / width)
            for old in sorted(sums)[:-most]:
                del sums[old]

    def points(self, span: int) -> Iterator[tuple[str, str, list[tuple[int, Sums]]]]:
        """Yield factor, judge, and the sums of each span in the order of time."""
        for (factor, judge), spans in sorted(self.series.items()):
            yield factor, judge, sorted(spans.get(span, {}).items())

    def dump(self) -> bytes:
        """All of it as bytes."""
        series = [
            [factor, judge, [[span, at, s.number, round(s.total, 6), round(s.squares, 6)]
                             for span, sums in spans.items() for at, s in sums.items()]]
            for (factor, judge), spans in self.series.items()
        ]  # fmt: skip
        return json.dumps({"series": series, "numbers": self.numbers}, separators=(",", ":")).encode()

    @classmethod
    def load(cls, kept: bytes | None) -> "Trend":
        """Read what `dump` wrote; an empty one where there is nothing."""
        if kept is None:
            return cls()
        found = json.loads(kept)
        trend = cls(numbers=found["numbers"])
        for factor, judge, rows in found["series"]:
            spans = trend.series.setdefault((factor, judge), {})
            for span, at, *sums in rows:
                spans.setdefault(span, {})[at] = Sums(*sums)
        return trend
