"""Ratios of a page of results beside those of a quick run: a page that is off by more than 30 % is stale.

    python -m benchmarks.check

A ratio is of two times in one process, so that it holds on any machine. Prints a line each; the exit code is 1 where one is off."""

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from service.judges.embedded import EmbeddedJudge

from .embedded import beside_additions, cpu_of, logs_of

PAGE = Path(__file__).parent / "results" / "embedded.md"
MOST_OFF = 0.3
ROUNDS = 5


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


RATIOS: Mapping[str, tuple[str, Callable[[], float]]] = {
    "conversations in a million additions": (
        r"^\| conversations in the time of a million additions[^|]*\| ([\d.,]+) \|",
        beside_a_million_additions,
    ),
    "growth from 50 to 500 messages": (r"embedded x ([\d.,]+)", growth),
}
"""Ratios that the page states: each with the pattern that finds its number, and how to measure it quickly."""


def main() -> int:
    """Measure what the page states; 1 where a ratio is off."""
    page, off = PAGE.read_text(encoding="utf-8"), 0
    for name, (pattern, measure) in RATIOS.items():
        if (written := re.search(pattern, page, re.MULTILINE)) is None:
            print(f"{PAGE.name}: {name}: withdrawn")
            continue
        stated, found = float(written[1].replace(",", "")), measure()
        holds = abs(found / stated - 1) <= MOST_OFF
        off += not holds
        print(f"{PAGE.name}: {name}: states {stated:g}, is {found:.3g}{'' if holds else ': stale'}")
    return min(off, 1)


if __name__ == "__main__":
    sys.exit(main())
