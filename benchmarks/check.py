"""Ratios of the pages of results beside those of a quick run: a page that is off by more than 30 % is stale.

    python -m benchmarks.check

A ratio is of two times in one process, so that it holds on any machine. Prints a line each; the exit code is 1 where one is off."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from service.judges.embedded import EmbeddedJudge

from .embedded import beside_additions, cpu_of, logs_of

RESULTS = Path(__file__).parent / "results"
MOST_OFF = 0.3
ROUNDS = 5


@dataclass(frozen=True)
class Ratio:
    """A ratio that a page states: the pattern that finds its number, and how to measure it quickly."""

    name: str
    page: str
    pattern: str
    measure: Callable[[], float]

    def stated(self) -> float | None:
        """The number of the page; None where it is withdrawn."""
        found = re.search(self.pattern, (RESULTS / self.page).read_text(encoding="utf-8"), re.MULTILINE)
        return float(found[1].replace(",", "")) if found else None


def beside_a_million_additions() -> float:
    """Conversations in the time of a million additions."""
    rounds = [beside_additions(10, 1000 + number) for number in range(ROUNDS)]
    return median(counted / each for each, counted in rounds)


def growth() -> float:
    """Times that a log of 500 messages takes as long as one of 50."""
    short, long = (
        min(cpu_of(logs_of(length, f"check {number}"), EmbeddedJudge()) for number in range(2))
        for length in (50, 500)
    )
    return long / short


RATIOS = (
    Ratio(
        "conversations in a million additions",
        "embedded.md",
        r"^\| conversations in the time of a million additions[^|]*\| ([\d.,]+) \|",
        beside_a_million_additions,
    ),
    Ratio("growth from 50 to 500 messages", "embedded.md", r"embedded x ([\d.,]+)", growth),
)


def judged(stated: float, found: float) -> bool:
    """Return whether a stated ratio still holds."""
    return abs(found / stated - 1) <= MOST_OFF


def main() -> int:
    """Measure what the pages state; 1 where one is off."""
    off = 0
    for ratio in RATIOS:
        stated = ratio.stated()
        if stated is None:
            print(f"{ratio.page}: {ratio.name}: withdrawn")
            continue
        found = ratio.measure()
        holds = judged(stated, found)
        off += not holds
        print(f"{ratio.page}: {ratio.name}: states {stated:g}, is {found:.3g}{'' if holds else ': stale'}")
    return min(off, 1)


if __name__ == "__main__":
    sys.exit(main())
