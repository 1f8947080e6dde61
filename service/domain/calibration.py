"""A map from a judge's scores to those that people would give, as data."""

import hashlib
import json
from bisect import bisect_right
from dataclasses import asdict, astuple, dataclass
from enum import StrEnum

from .rounding import Figure
from .rubric import Scale
from .verdict import JudgeName


class Form(StrEnum):
    """The shape of a map: no change but that of scales, a straight line, or rising steps."""

    IDENTITY = "identity"
    LINE = "line"
    ISOTONIC = "isotonic"


@dataclass(frozen=True, slots=True)
class Knot:
    """A point of a map. Between two knots the value is on the line between theirs, beyond the last one it stays."""

    score: float
    """On the judge's scale; rises from knot to knot."""
    value: float
    """On people's scale; never falls from knot to knot."""
    low: float | None
    """Lower bound for one conversation; null below 20 labels."""
    high: float | None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A score on people's scale, by a map that `/calibrate` made."""

    score: Figure
    """Estimate of the score that people would give."""
    scale: Scale
    """People's."""
    low: Figure | None
    """Lower bound for this one conversation; null where the map has none."""
    high: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationMap:
    """A monotone map of one factor's scores by one judge.

    `label` names the people's rating that it leads to. `comparison_key` is that of the answers which a map of a summary or
    a debate was made from. `systems` and `domains` are those of its conversations, empty where unknown. `n` counts
    labels; `error_before` and `error` are root mean squared errors of the identity and of this map, in points of
    people's scale, by cross-validation; `coverage` is the share of labels inside the intervals, which aim at `level`."""

    factor: str
    label: str
    judge: JudgeName
    evaluator_revision: str | None
    comparison_key: str | None
    systems: tuple[str, ...]
    domains: tuple[str, ...]
    form: Form
    judge_scale: Scale
    people_scale: Scale
    knots: tuple[Knot, ...]
    n: int
    error_before: float | None
    error: float | None
    level: float
    coverage: float | None

    @property
    def hash(self) -> str:
        """16 hex digits of SHA-256 over the whole map."""
        # JSON knows one kind of number: 2 and 2.0 are the same map.
        content = asdict(self) | {"knots": [[_number(part) for part in astuple(knot)] for knot in self.knots]}
        content |= {name: _number(content[name]) for name in ("error_before", "error", "level", "coverage")}
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    def apply(self, score: float) -> Calibrated:
        """Map a score: on the line between two knots, and as the last one beyond either end. Its interval is the union of the
        two knots' intervals."""
        place = bisect_right([knot.score for knot in self.knots], score)
        before, after = self.knots[max(place - 1, 0)], self.knots[min(place, len(self.knots) - 1)]
        if before.score == score:
            after = before
        share = (score - before.score) / (after.score - before.score) if after.score > before.score else 0.0
        lows = [knot.low for knot in (before, after) if knot.low is not None]
        highs = [knot.high for knot in (before, after) if knot.high is not None]
        return Calibrated(
            score=before.value + min(max(share, 0.0), 1.0) * (after.value - before.value),
            scale=self.people_scale,
            low=min(lows, default=None),
            high=max(highs, default=None),
        )


@dataclass(frozen=True, slots=True)
class Calibration:
    """The maps that a request uses; none where it asks for no calibration. `elsewhere` says that its caller wants them applied to
    other revisions, systems and domains than they were made for too."""

    maps: tuple[CalibrationMap, ...] = ()
    elsewhere: bool = False

    @property
    def hash(self) -> str:
        """16 hex digits over the maps, in any order."""
        return hashlib.sha256(",".join(sorted(one.hash for one in self.maps)).encode()).hexdigest()[:16]

    def of(self, factor: str) -> tuple[CalibrationMap, ...]:
        """The maps of one factor, of a summary or of `overall`."""
        return tuple(one for one in self.maps if one.factor == factor)


NO_CALIBRATION = Calibration()


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)
