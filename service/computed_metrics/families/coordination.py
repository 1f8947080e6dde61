"""Coordination: how evenly a recommender serves different users.

CONCEPT section 3: for each ability the range over groups of users divided by the mean, then the
mean over the abilities; 0 is perfectly even."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...statistics.bootstrap import DRAWS, Interval, Matrix, divide, intervals
from ..abilities import JUDGED, PARTS, Ability, AbilityPart, AbilityScore, Values, roll_up
from ..figures import Figure, MetricRow, Undefined, Unit, View, parts, sum_up
from ..log_index import Cuts, LogContext
from ..metric import Example, Family, Metric, Need, Worked, conversation
from . import recommendation, sincerity

# A roll-up reads success within CONCEPT's ten rounds and recall of its longest lists.
ROUNDS = 10
LIST = 50

READ_BY_ABILITIES = ("recall", "success_rate", "nonexistent_items", "deceptive_acceptances")
"""Metrics whose results the parts below ask for."""


def log_parts(contexts: Sequence[LogContext]) -> dict[str, Figure]:
    """The parts that logs and verdicts give, by name."""
    none = Cuts()
    figures = {
        "recall_at_50": recommendation.last_recall(contexts, LIST),
        "success_rate_lists": recommendation.success(contexts, View.LISTS, ROUNDS),
        "success_rate_text": recommendation.success(contexts, View.TEXT, ROUNDS),
        "acceptance_rate": next(recommendation.acceptance_rate(contexts, none)),
        "nonexistent_items": next(sincerity.nonexistent_items(contexts, none)),
        "deceptive_acceptances": next(sincerity.deceptive_acceptances(contexts, none)),
    }
    for name, factor in JUDGED.items():
        scores = (context.scores.get(factor) for context in contexts)
        figures[name] = Figure(name, Unit.POINTS, *parts(scores), Undefined.NO_VERDICTS)
    return figures


# Reliability rests on reply pairs, which name no user.
ABILITIES = (Ability.QUALITY, Ability.COOPERATION, Ability.SOCIAL_AWARENESS, Ability.IDENTITY)

# Below this mean a share's range divided by it tells only that the mean is small.
LEAST_MEAN = 0.05


@dataclass(frozen=True)
class Spread:
    """Range over mean of one ability or part over `n` kinds of users, and its resamples."""

    value: float | None
    draws: Values | None
    n: int
    undefined: Undefined | None

    @property
    def interval(self) -> Interval | None:
        return None if self.draws is None else intervals(self.draws[:, None])[0]

    @property
    def columns(self) -> dict[str, Any]:
        """Columns that a row and a part of the ability share."""
        shared = {"value": self.value, "unit": Unit.RATIO, "n": self.n}
        return shared | {"interval": self.interval, "undefined": self.undefined}


def coordinate(
    kinds: Sequence[Sequence[LogContext]], over: str, group: Mapping[str, str], draws: int = DRAWS
) -> tuple[list[MetricRow], AbilityScore]:
    """Coordination over kinds of users, each given by its contexts: a row for all abilities together, for each ability, for
    each raw part."""
    points, moving = [], []
    for seed, contexts in enumerate(kinds, start=1):
        figures = log_parts(contexts)
        # Cells are resampled apart; a cell of one log stands still.
        summed = sum_up(list(figures.values()), draws, seed)
        drawn = np.tile(summed.values, (draws, 1)) if summed.draws is None else summed.draws
        points.append(dict(zip(figures, summed.values, strict=True)))
        moving.append(dict(zip(figures, drawn.T, strict=True)))
    abilities = {}
    for ability in ABILITIES:
        rolled = np.array([roll_up(ability, one) for one in points])
        abilities[ability] = _spread(rolled, [roll_up(ability, one) for one in moving], share=False)
    names = dict.fromkeys(name for ability in ABILITIES for name in PARTS[ability])
    raw = {
        name: _spread(
            np.array([one[name] for one in points]), [one[name] for one in moving], share=name not in JUDGED
        )
        for name in names
    }
    overall = _overall(list(abilities.values()), len(points))
    where = {**group, "over": over}

    def row(spread: Spread, **of: str) -> MetricRow:
        return MetricRow(metric="coordination", group={**where, **of}, **spread.columns)

    rows = [
        row(overall),
        *(row(spread, ability=name) for name, spread in abilities.items()),
        *(row(spread, part=name) for name, spread in raw.items()),
    ]
    return rows, _score(overall, abilities, where)


def _spread(points: Values, draws: Sequence[Values], *, share: bool) -> Spread:
    known = np.flatnonzero(~np.isnan(points))
    if len(known) < 2:
        reason = Undefined.SINGLE_GROUP if len(points) < 2 else Undefined.MISSING_PARTS
        return Spread(None, None, len(known), reason)
    values = points[known]
    if share and values.mean() < LEAST_MEAN:
        return Spread(None, None, len(known), Undefined.MEAN_NEAR_ZERO)
    moving: Matrix = np.column_stack([draws[cell] for cell in known.tolist()])
    return Spread(float(_range_over_mean(values)), _range_over_mean(moving), len(known), None)


def _range_over_mean(values: Matrix) -> Values:
    return divide(np.ptp(values, axis=-1), values.mean(axis=-1))


def _overall(spreads: Sequence[Spread], cells: int) -> Spread:
    """The mean over the abilities that have a coordination; the others are named by their rows."""
    known = [spread for spread in spreads if spread.value is not None]
    if not known:
        return Spread(None, None, cells, Undefined.SINGLE_GROUP if cells < 2 else Undefined.MISSING_PARTS)
    value = sum(spread.value for spread in known if spread.value is not None) / len(known)
    draws = [spread.draws for spread in known if spread.draws is not None]
    return Spread(value, np.mean(draws, axis=0), cells, None)


def _score(overall: Spread, abilities: Mapping[Ability, Spread], group: Mapping[str, str]) -> AbilityScore:
    parts = tuple(AbilityPart(name, **spread.columns) for name, spread in abilities.items())
    return AbilityScore(
        ability=Ability.COORDINATION,
        group=group,
        score=overall.value,
        interval=overall.interval,
        n=overall.n,
        parts=parts,
        missing=tuple(part.name for part in parts if part.value is None),
        undefined=overall.undefined,
    )


_AMBER, _BLUE = "Amber Coast (2001)", "Blue Ferry (2002)"

FAMILY = Family(
    50,
    (
        Metric(
            name="coordination",
            unit=Unit.RATIO,
            needs=(Need.LISTS, Need.TARGETS, Need.OUTCOME, Need.VERDICTS, Need.USERS),
            says="How evenly the system serves kinds of users: the range of an ability over the kinds, divided by its mean. The "
            "rules are below.",
            example=Example(
                logs=[
                    conversation(
                        "Hi.",
                        (f"Try {title}.", [title]),
                        words,
                        ground_truth=[_AMBER],
                        outcome=outcome,
                        user={"persona": persona},
                    )
                    for title, words, outcome, persona in (
                        (_AMBER, "Yes.", {"accepted": True, "message": 2}, "Trust"),
                        (_BLUE, "No.", {"accepted": False}, "Boredom"),
                    )
                ],
                scores=[{"concept-social-awareness": 4}, {"concept-social-awareness": 2}],
                worked="One persona has recall, success and acceptance of 1, the other of 0. Their quality is 5 and 1: (5 - 1) / 3 = "
                "4/3. Their social awareness is 4 and 2: (4 - 2) / 3 = 2/3. The mean of both is 1.",
                values=[
                    Worked({"group": {"over": "persona"}}, 1.0),
                    Worked({"group": {"over": "persona", "ability": "quality"}}, 4 / 3),
                    Worked({"group": {"over": "persona", "ability": "social_awareness"}}, 2 / 3),
                ],
            ),
        ),
    ),
)
