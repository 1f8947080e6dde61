"""A preference between two conversations: of a model's answers in both orders, or of a judge's scores.

Scores prefer by the sign of their difference, outside the zone in which it says too little about people's preferences."""

import hashlib
import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

from ..domain.completion import NO_USAGE, Usage
from ..domain.rubric import Factor, Protocol, Scale
from ..domain.verdict import JudgeName, Scored, Verdict
from ..judges.llm.answer import Failure

OVERALL = "overall"
"""The question which conversation is better all in all, beside the factors."""


class Preferred(StrEnum):
    """The conversation that is preferred."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


class Shown(StrEnum):
    """The order in which a model read the two conversations."""

    FIRST_SECOND = "first_second"
    SECOND_FIRST = "second_first"


@dataclass(frozen=True, slots=True)
class Order:
    """The answer of a model that read the conversations in one order; `reason` where it gave none."""

    shown: Shown
    preferred: Preferred | None
    rationale: str | None
    reason: Failure | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """The preference on one factor, or `overall`. `preferred` is None where there is a `reason`. `scores` and `dead_zone` are those
    of a judge that scores: a smaller difference is a tie. `confidence` is the share of pairs at such a difference in which
    people preferred the same one; None where that was not measured."""

    factor: str
    preferred: Preferred | None
    judge: JudgeName
    evaluator_revision: str
    rationale: str | None = None
    confidence: float | None = None
    orders: tuple[Order, ...] = ()
    scores: tuple[float, float] | None = None
    dead_zone: float | None = None
    reason: Failure | None = None
    usage: Usage = NO_USAGE


def agreed(orders: Sequence[Order]) -> tuple[Preferred | None, str | None, Failure | None]:
    """Combine the answers of all orders. A preference that changes with the order is a tie; one that could not be checked in
    every order is None."""
    failed = next((order.reason for order in orders if order.reason is not None), None)
    if failed is not None:
        return None, None, failed
    said = {order.preferred for order in orders}
    first = orders[0]
    if len(said) == 1:
        return first.preferred, first.rationale, None
    each = "; ".join(f"{order.shown.value}: {order.preferred}" for order in orders)
    return Preferred.TIE, f"The preference turns with the order in which the two are read ({each}).", None


MEASURED = 12
"""Factors of CoRE whose mean the overall zone is for."""
FILE = Path(__file__).parent / "dead_zones.toml"


@dataclass(frozen=True, slots=True)
class Zone:
    """The dead zone of a factor: differences below `width` are ties. `differences` and `agreement` tell how often people preferred
    the same conversation at a difference, where that was measured. All differences are shares of the factor's scale."""

    width: float
    differences: tuple[float, ...] = ()
    agreement: tuple[float, ...] = ()

    def confidence(self, difference: float) -> float | None:
        """Return the share of pairs at such a difference in which people preferred the same one; None where not measured."""
        place = bisect_right(self.differences, difference) - 1
        return self.agreement[place] if place >= 0 else None


@cache
def zones() -> Mapping[str, Zone]:
    """The measured zones by factor, `overall` among them; all other factors have the widest of these."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["zones"]
    return {
        name: Zone(row["width"], tuple(row["differences"]), tuple(row["agreement"]))
        for name, row in rows.items()
    }


def zone_of(factor: str) -> Zone:
    """Return a factor's zone."""
    known = zones()
    return known.get(factor) or Zone(max(zone.width for zone in known.values()))


def prefer(pair: tuple[Verdict, Verdict], factor: Factor) -> Preference:
    """Return the preference that two verdicts on one factor make."""
    first, second = pair
    blank = _blank(factor.slug, first.judge, first.evaluator_revision)
    for name, verdict in (("first", first), ("second", second)):
        if not isinstance(verdict, Scored):
            return replace(blank, reason=Failure(verdict.code, f"the {name} conversation: {verdict.detail}"))
    assert isinstance(first, Scored)
    assert isinstance(second, Scored)
    return _compared(blank, (first.score, second.score), factor.scale)


def prefer_overall(
    pairs: Sequence[tuple[Verdict, Verdict]], factors: Mapping[str, Factor], judge: JudgeName
) -> Preference:
    """Return the overall preference: by the mean over the factors that both conversations have a score for, on 0 to 4."""
    scored = [
        (factors[first.factor].scale, first, second)
        for first, second in pairs
        if isinstance(first, Scored) and isinstance(second, Scored)
    ]
    known = sorted(f"{first.factor} {first.evaluator_revision}" for _, first, _ in scored)
    revision = hashlib.sha256("\n".join(known).encode()).hexdigest()[:12]
    blank = _blank(OVERALL, judge, revision)
    if not scored:
        return replace(blank, reason=Failure("no_scores", "no factor has a score for both conversations"))
    span = Scale(0, 4)
    first, second = (
        span.max * sum(scale.share(verdicts[place].score) for scale, *verdicts in scored) / len(scored)
        for place in (0, 1)
    )
    found = _compared(blank, (round(first, 3), round(second, 3)), span)
    # The zone was measured on the mean of all of CoRE's factors.
    asked = sum(factor.protocol is Protocol.CORE for factor in factors.values())
    return found if asked == MEASURED else replace(found, confidence=None)


def _compared(blank: Preference, scores: tuple[float, float], scale: Scale) -> Preference:
    """Return the preference that follows from two scores."""
    zone, length = zone_of(blank.factor), scale.max - scale.min
    width = round(zone.width * length, 3)
    difference = scores[0] - scores[1]
    blank = replace(blank, scores=scores, dead_zone=width)
    summary = f"The first scores {scores[0]:g} and the second {scores[1]:g}"
    if abs(difference) < width or difference == 0:
        rationale = f"{summary}: differences under {width:g} say too little about what people prefer."
        return replace(blank, preferred=Preferred.TIE, rationale=rationale)
    preferred = Preferred.FIRST if difference > 0 else Preferred.SECOND
    sure = zone.confidence(abs(difference) / length)
    return replace(blank, preferred=preferred, rationale=f"{summary}.", confidence=sure)


def _blank(name: str, judge: JudgeName, revision: str) -> Preference:
    """No preference yet; its revision is that of the scores and of the zones."""
    own = hashlib.sha256(revision.encode() + FILE.read_bytes()).hexdigest()[:12]
    return Preference(factor=name, preferred=None, judge=judge, evaluator_revision=own)
