"""Sensitivity and false alarms of the embedded judge for each fault, as `make -C research faults` measures them."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "measured.json"
FEWEST = 20
"""Pairs under which a sensitivity is unknown."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Figures on one set of pairs. `sensitivity` is a share of `n` pairs with its 95 % interval (Wilson), None under `FEWEST`;
    `false_alarms` a share of `good_replies`."""

    on: str
    n: int
    sensitivity: float | None
    low: float | None
    high: float | None
    false_alarms: float | None
    good_replies: int


@cache
def load_measurements() -> dict[str, list[Measurement]]:
    """Return the measurements of each fault, by its slug. Empty where nothing was measured."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    return {slug: [Measurement(**row) for row in rows] for slug, rows in stored["faults"].items()}
