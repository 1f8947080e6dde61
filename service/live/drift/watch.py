"""One factor of one system: a baseline, then a test each week, an alarm, a recovery."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Annotated, Final

import numpy as np
from pydantic import Field

from .baseline import PERIOD, PERIODS, Baseline, Expected, add, expect
from .bets import NO_BETS, Bets, Values, against_at_least, against_at_most, begun

SHOWN: Final = 5
SIDES: Final = 2


class Change(StrEnum):
    """The kinds of change that are noticed."""

    DROP = "drop"
    RISE = "rise"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class Seen:
    """One conversation's score in 0-1, at a time in seconds."""

    conversation: str
    at: float
    value: float


@dataclass(frozen=True)
class Noticed:
    """A change, after `number` conversations of its week: the mean that is expected, the mean since the week began, and the
    conversations that show it best."""

    change: Change
    at: float
    number: int
    expected: float
    margin: float
    mean: float
    shown: tuple[str, ...]


@dataclass
class Watch:
    """Watches at level `alpha` a week, for `window` seconds of baseline and at least `least` conversations. These settings are
    not kept with the state."""

    alpha: Annotated[float, Field(exclude=True)] = 0.01
    window: Annotated[float, Field(exclude=True)] = 14 * 86_400.0
    least: Annotated[int, Field(exclude=True)] = 500
    baseline: Baseline | None = field(default_factory=dict)
    since: float | None = None
    expected: Expected | None = None
    period: int = -1
    down: Bets = NO_BETS
    up: Bets = NO_BETS
    alarmed: Change | None = None
    number: int = 0
    total: float = 0.0
    extremes: list[tuple[float, str]] = field(default_factory=list)

    def see(self, seen: Sequence[Seen]) -> list[Noticed]:
        """Take conversations in the order of their times. Returns what is noticed."""
        noticed: list[Noticed] = []
        place = 0
        while place < len(seen) and self.expected is None:
            self._learn(seen[place])
            place += self.expected is None  # the first one after the baseline is tested
        for period, group in groupby(seen[place:], lambda one: int(one.at // PERIOD)):
            if period > self.period:  # another worker's judgements may come late
                self._begin(period)
            here = list(group)
            while here and self.expected is not None:
                found, taken = self._test(here, self.expected)
                noticed += [found] if found else []
                here = here[taken:]
        return noticed

    def seed(self, history: Sequence[Seen]) -> None:
        """Learn from past conversations until there is an expectation. Nothing is tested."""
        if self.baseline is not None:
            for one in history:
                add(self.baseline, one.at, one.value)
                self.since = one.at if self.since is None else min(self.since, one.at)

    def _learn(self, one: Seen) -> None:
        assert self.baseline is not None
        self.since = one.at if self.since is None else self.since
        number = sum(period.number for period in self.baseline.values())
        if one.at - self.since >= self.window and number >= self.least:
            self.expected, self.baseline = expect(self.baseline), None
        else:
            add(self.baseline, one.at, one.value)

    def _begin(self, period: int) -> None:
        """Begin bets with a part of the week's capital; all begin again in a new week."""
        if period // PERIODS != self.period // PERIODS:
            self.down = self.up = NO_BETS
            self.number, self.total, self.extremes = 0, 0.0, []
        self.period = period
        self.down, self.up = begun(self.down, 1 / PERIODS), begun(self.up, 1 / PERIODS)

    def _test(self, here: Sequence[Seen], expected: Expected) -> tuple[Noticed | None, int]:
        """Test values of one period up to the first change. Returns it, and how many values were taken."""
        raw = np.array([one.value for one in here])
        values = expected.levelled(np.array([one.at for one in here]), raw)
        paths = self._paths(values, expected)
        limit = -np.log(self.alpha / SIDES)
        crossed = [int(np.argmax(path >= limit)) if (path >= limit).any() else len(here) for _, path in paths]
        first = min(crossed)
        taken = min(first + 1, len(here))
        self._remember(here[:taken], raw[:taken])
        if first == len(here):
            self._paths(values, expected, keep=True)
            return None, taken
        change = paths[crossed.index(first)][0]
        last = here[first]
        noticed = Noticed(
            change,
            last.at,
            self.number,
            expected.mean,
            expected.margin,
            self.total / self.number,
            tuple(
                name for _, name in (self.extremes if change is Change.DROP else self.extremes[::-1])[:SHOWN]
            ),
        )
        self.alarmed = None if change is Change.RECOVERED else change
        self.down = self.up = NO_BETS
        return noticed, taken

    def _paths(
        self, values: Values, expected: Expected, *, keep: bool = False
    ) -> list[tuple[Change, Values]]:
        """The capital of each bet that is on: against the old mean, or, after an alarm, against the new one."""
        low, high = expected.mean - expected.margin, expected.mean + expected.margin
        bet_down, down = against_at_least(self.down, values, high if self.alarmed is Change.RISE else low)
        bet_up, up = against_at_most(self.up, values, low if self.alarmed is Change.DROP else high)
        if keep:
            self.down, self.up = bet_down, bet_up
        if self.alarmed is Change.DROP:
            return [(Change.RECOVERED, up)]
        if self.alarmed is Change.RISE:
            return [(Change.RECOVERED, down)]
        return [(Change.DROP, down), (Change.RISE, up)]

    def _remember(self, here: Sequence[Seen], raw: Values) -> None:
        self.number += len(here)
        self.total += float(raw.sum())
        ranked = sorted([*self.extremes, *((one.value, one.conversation) for one in here)])
        self.extremes = ranked if len(ranked) <= 2 * SHOWN else [*ranked[:SHOWN], *ranked[-SHOWN:]]

    def forget(self, conversation: str) -> None:
        """Show a conversation no more."""
        self.extremes = [(value, name) for value, name in self.extremes if name != conversation]
