"""CONCEPT's six abilities: the parts of each, and how they roll up.

The paper (section 3, table 1) names the parts; only cooperation's formula is its own. The other
roll-ups are choices, on the judges' scale of 1 to 5: a share s of something wanted counts as
1 + 4 s, of something unwanted as 5 - 4 s. A roll-up whose parts are not all there is undefined:
the mean of what happens to be known would compare with nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..domain import rounding
from ..domain.rubric import Scale
from ..statistics.bootstrap import Interval, intervals
from .figures import Summed, Undefined, Unit

Values = NDArray[np.float64]
_Value = TypeVar("_Value", float, Values)


class Ability(StrEnum):
    """The six abilities."""

    QUALITY = "quality"
    RELIABILITY = "reliability"
    COOPERATION = "cooperation"
    SOCIAL_AWARENESS = "social_awareness"
    IDENTITY = "identity"
    COORDINATION = "coordination"


JUDGED = {
    "manner": "concept-manner",
    "response_quality": "concept-response-quality",
    "relevance": "concept-relevance",
    "social_awareness": "concept-social-awareness",
    "persuasiveness": "concept-persuasiveness",
}

PARTS: Mapping[Ability, tuple[str, ...]] = {
    Ability.QUALITY: ("recall_at_50", "success_rate_lists", "success_rate_text", "acceptance_rate"),
    Ability.RELIABILITY: ("consistent_action", "sensitive_pairs"),
    Ability.COOPERATION: (
        "manner",
        "response_quality",
        "relevance",
        "nonexistent_items",
        "deceptive_acceptances",
    ),
    Ability.SOCIAL_AWARENESS: ("social_awareness",),
    Ability.IDENTITY: ("persuasiveness", "deceptive_acceptances"),
}

IN_HAND: Mapping[str, tuple[str, ...]] = {
    "concept-quality": PARTS[Ability.QUALITY],
    "concept-reliability": PARTS[Ability.RELIABILITY],
    "concept-sincerity": ("nonexistent_items", "deceptive_acceptances"),
    "concept-identity": PARTS[Ability.IDENTITY],
}
"""Computed abilities that a judge of the overall performance may have in hand, with their parts, on `IN_HAND_SCALE`."""
IN_HAND_SCALE = Scale(1, 5)
_UNWANTED = frozenset({"sensitive_pairs", "nonexistent_items", "deceptive_acceptances"})


@dataclass(frozen=True, slots=True)
class AbilityPart:
    """A share, a judged mean or a coordination that an ability rests on."""

    name: str
    value: rounding.Figure | None
    unit: Unit
    n: int
    interval: Interval | None
    undefined: str | None
    """A code from a published list that may grow."""


@dataclass(frozen=True, slots=True)
class AbilityScore:
    """An ability of one group: 1 to 5, higher is better; coordination: 0 upwards, lower is
    steadier. `missing` names the parts without which there is no score; `n` counts the logs,
    reply pairs (reliability) or groups compared (coordination)."""

    ability: Ability
    group: Mapping[str, str]
    score: float | None
    interval: Interval | None
    n: int
    parts: tuple[AbilityPart, ...]
    missing: tuple[str, ...]
    undefined: Undefined | None


def roll_up(ability: Ability, known: Mapping[str, Values]) -> Values:
    """An ability from its parts, elementwise (points, or resamples); NaN where a part is. Of cooperation, sincerity is one part:
    the mean of titles that do not exist and of deceptive acceptances."""
    scores = [_on_scale(name, known[name]) for name in PARTS[ability]]
    if ability is Ability.COOPERATION:
        scores[-2:] = [_mean(scores[-2:])]
    return _mean(scores)


def score(ability: Ability, names: Sequence[str], summed: Summed, group: Mapping[str, str]) -> AbilityScore:
    """An ability of a group whose parts, under these names, were summed up."""
    points = dict(zip(names, summed.values, strict=True))
    rows = dict(zip(names, summed.rows({}), strict=True))
    own = tuple(
        AbilityPart(
            name, rows[name].value, rows[name].unit, rows[name].n, rows[name].interval, rows[name].undefined
        )
        for name in PARTS[ability]
    )
    value = float(roll_up(ability, points))
    missing = tuple(part.name for part in own if part.value is None)
    bounds = None
    if summed.draws is not None and not missing:
        drawn = dict(zip(names, summed.draws.T, strict=True))
        bounds = intervals(roll_up(ability, drawn)[:, None])[0]
    return AbilityScore(
        ability=ability,
        group=dict(group),
        score=None if missing else value,
        interval=bounds,
        n=len(summed.figures[0].numerators),
        parts=own,
        missing=missing,
        undefined=Undefined.MISSING_PARTS if missing else None,
    )


def of_known(slug: str, known: Mapping[str, float]) -> float | None:
    """An ability in hand of one conversation, 1-5, from the parts that it has: without an acceptance none deceives. The
    roll-up where all are known, None where none is."""
    scores = [_on_scale(name, known[name]) for name in IN_HAND[slug] if name in known]
    return sum(scores) / len(scores) if scores else None


def _on_scale(name: str, value: _Value) -> _Value:
    """A part on the judges' scale."""
    if name in JUDGED:
        return value
    return 5 - 4 * value if name in _UNWANTED else 1 + 4 * value


def _mean(values: Sequence[Values]) -> Values:
    return sum(values[1:], start=values[0]) / len(values)
