"""Simulate what `crs-eval live` notices of drift: false alarms, and how soon a drop is noticed.

    python -m research.simulate_drift   # prints the figures of docs/live.md

A system has 1,000 conversations a day, more by day than by night and fewer at weekends. Its twelve factors have scores of 0-4 in
steps of a half. Their mean depends on the hour and the weekday, and it wanders (an autoregressive process, shared by factors in
part)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.live.drift.baseline import PERIOD, PERIODS
from service.live.drift.watch import Change, Noticed, Seen, Watch

FACTORS = 12
A_DAY = 1000
ALPHA = 0.01
HOUR = 3600.0
WEEK = PERIODS * PERIOD
START = 2900 * WEEK
Values = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """The ways in which scores sway: standard deviations in points of 4. They are of single scores, of the hour's effect and the
    weekday's, and of the wandering mean, which forgets half in `half_life` hours."""

    single: float = 0.8
    hour: float = 0.1
    weekday: float = 0.05
    wander: float = 0.05
    half_life: float = 3.0


def times(weeks: int, source: np.random.Generator) -> Values:
    """Return the times at which conversations of so many weeks end."""
    hours = np.arange(weeks * 168)
    by_day = 1 + 0.8 * np.sin(2 * np.pi * ((hours % 24) - 9) / 24)
    rates = A_DAY / 24 * by_day * np.where((hours // 24) % 7 >= 5, 0.7, 1.12)
    counts = source.poisson(rates)
    return np.sort(np.repeat(hours, counts) * HOUR + source.random(counts.sum()) * HOUR) + START


def scores(at: Values, world: World, source: np.random.Generator) -> Values:
    """Scores in 0-1, a row a factor."""
    hours = ((at - START) // HOUR).astype(int)
    last = hours.max() + 1
    keep = 0.5 ** (1 / world.half_life)
    steps = source.normal(size=(FACTORS + 1, last)) * world.wander * np.sqrt(1 - keep**2)
    wander = np.zeros_like(steps)
    wander[:, 0] = source.normal(size=FACTORS + 1) * world.wander
    for hour in range(1, last):
        wander[:, hour] = keep * wander[:, hour - 1] + steps[:, hour]
    shared = (wander[:1] + wander[1:]) / np.sqrt(2)
    phase = source.random((FACTORS, 1)) * 24
    daily = world.hour * np.sqrt(2) * np.sin(2 * np.pi * (np.arange(24) - phase) / 24)
    weekly = world.weekday * source.normal(size=(FACTORS, 7))
    means = source.uniform(2.2, 3.4, size=(FACTORS, 1))
    centre = means + daily[:, hours % 24] + weekly[:, (hours // 24) % 7] + shared[:, hours]
    points = centre + world.single * source.normal(size=centre.shape)
    found: Values = np.clip(np.round(points * 2) / 2, 0, 4) / 4
    return found


def noticed(at: Values, row: Values) -> list[Noticed]:
    """Return what is noticed of one factor."""
    seen = [Seen(str(n), float(a), float(v)) for n, (a, v) in enumerate(zip(at, row, strict=True))]
    return list(Watch(ALPHA / FACTORS).see(seen))


def false_alarms(systems: int, weeks: int, world: World, seed: int) -> int:
    """Count alarms of systems that do not change, in so many weeks after the baseline."""
    found = 0
    for system in range(systems):
        source = np.random.default_rng([seed, system])
        at = times(weeks + 2, source)
        rows = scores(at, world, source)
        found += sum(one.change is not Change.RECOVERED for row in rows for one in noticed(at, row))
    return found


def delays(systems: int, drop: float, world: World, seed: int) -> list[float]:
    """Count how many conversations after a drop of so many points of 4, in the middle of a week, it is noticed; infinite where it is
    not in three weeks."""
    found = []
    for system in range(systems):
        source = np.random.default_rng([seed, system, 1])
        at = times(6, source)
        rows = scores(at, world, source)
        began = START + 3.5 * WEEK
        after = at >= began
        source.shuffle(rows)
        rows[:, after] = np.clip(rows[:, after] - drop / 4, 0, 1)
        for row in rows[:3]:
            drops = (one.at for one in noticed(at, row) if one.change is Change.DROP and one.at >= began)
            when = next(drops, np.inf)
            found.append(float((after & (at <= when)).sum()) if np.isfinite(when) else np.inf)
    return found


def main(systems: int = 6, weeks: int = 100) -> None:
    """Print the table of docs/live.md."""
    worlds = {
        "as described": World(),
        "without autocorrelation": World(wander=0.0),
        "wandering twice as far": World(wander=0.1),
        "wandering twice as long": World(half_life=6.0),
    }
    print("| scores | false alarms | drop of .3 points of 4 | drop of .3 standard deviations |")
    print("| --- | --- | --- | --- |")
    for name, world in worlds.items():
        cells = [name, f"{false_alarms(systems, weeks, world, 0)} in {systems * weeks} weeks"]
        for drop in (0.3, 0.3 * world.single):
            middle, late = np.quantile(delays(systems, drop, world, 0), [0.5, 0.9], method="higher")
            cells.append(f"{middle:.0f}, {late:.0f}")
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
