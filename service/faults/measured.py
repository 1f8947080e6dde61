"""Sensitivity and false alarms of the embedded judge for each fault, as `make -C research faults` measures them."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..domain.rounding import Figure
from .fault import load_faults

FILE = Path(__file__).parent / "measured.json"
FEWEST = 20
"""Pairs under which a sensitivity is unknown."""


@dataclass(frozen=True, slots=True)
class FaultMeasurement:
    """Sensitivity and false alarms of the embedded judge for a fault, on conversations that nothing was tuned on."""

    on: str
    """Set of pairs: `corpus` (held-out domains) or `exam`."""
    n: int
    """Pairs with this fault."""
    sensitivity: Figure | None
    """Share of the pairs in which the fault is reported; null under 20 pairs."""
    low: Figure | None
    """Lower bound of the 95 % interval."""
    high: Figure | None
    false_alarms: Figure | None
    """Share of good replies on which it is reported."""
    good_replies: int


@cache
def load_measurements() -> dict[str, list[FaultMeasurement]]:
    """Return the measurements of each fault, by its slug. Empty where nothing was measured."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    return {slug: [FaultMeasurement(**row) for row in rows] for slug, rows in stored["faults"].items()}


@cache
def share_reported(home: str) -> float:
    """Return the share, 0 to 1, of planted faults that are reported on held-out domains: those whose home is this factor, or
    all where none of them was measured."""
    rows = [
        (fault.home == home, row)
        for slug, fault in load_faults().items()
        for row in load_measurements().get(slug, ())
        if row.on == "corpus" and row.sensitivity is not None
    ]
    own = [row for is_own, row in rows if is_own] or [row for _, row in rows]
    return sum(row.n * (row.sensitivity or 0.0) for row in own) / sum(row.n for row in own)
