"""From judged pairs to a system's Behavior Alignment: what counts, the score, what lies behind it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

import numpy as np

from ..statistics.bootstrap import Interval, intervals, ratio_draws
from .pair import Judged, Pair, Side
from .stages import START, StageWeights, stage_weights
from .strategies import StrategyName


class Denominator(StrEnum):
    """The divisor of the number of aligned pairs: the pairs that count (`pairs`), or these and the dialogues' first
    turns (`paper`). The paper's formula 2 divides by both, although its sum leaves the first turns out."""

    PAIRS = "pairs"
    PAPER = "paper"


class LeftOut(StrEnum):
    """The reason why a pair is no part of the score."""

    NO_COUNTERPART = "no_counterpart"
    FAILED = "failed"
    NO_STRATEGY = "no_strategy"
    FIRST_TURN = "first_turn"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share of pairs with its bootstrap interval; None where no pair counts, or where fewer than
    two units can be resampled."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Weighed:
    """A judged pair with its place in the score."""

    pair: Pair
    judged: Judged
    left_out: LeftOut | None
    stage_weight: float | None


@dataclass(frozen=True, slots=True)
class StrategyConfusion:
    """The candidate used one strategy where the reference used another."""

    candidate: StrategyName
    reference: StrategyName
    count: int


@dataclass(frozen=True)
class Alignment:
    """A system's Behavior Alignment. `any_strategy` counts a pair whose turns share any strategy,
    `stage_weighted` weighs each pair by `StageWeights`; `units` is what the bootstrap draws."""

    score: Estimate
    any_strategy: Estimate
    stage_weighted: Estimate
    counted: int
    left_out: Mapping[LeftOut, int]
    pairs: tuple[Weighed, ...]
    distributions: Mapping[Side, Mapping[StrategyName, int]]
    confusions: tuple[StrategyConfusion, ...]
    units: str


def align(
    pairs: Sequence[Pair],
    judged: Sequence[Judged],
    denominator: Denominator = Denominator.PAIRS,
    stages: StageWeights | None = None,
) -> Alignment:
    """Put judged pairs together, weighed by INSPIRED's stages or others. First turns are those numbered 1; a pair without a number
    is none."""
    weights = _stage_weights(pairs, judged, stages or stage_weights())
    found = tuple(
        Weighed(pair, one, _left_out(pair, one), weight)
        for pair, one, weight in zip(pairs, judged, weights, strict=True)
    )
    counted = [one for one in found if one.left_out is None]
    reasons = Counter(one.left_out for one in found if one.left_out is not None)
    divided = {None, LeftOut.FIRST_TURN} if denominator is Denominator.PAPER else {None}
    basis = [one for one in found if one.left_out in divided]

    staged = bool(counted) and all(one.stage_weight is not None for one in basis)
    return Alignment(
        score=_estimate(basis, lambda one: one.aligned),
        any_strategy=_estimate(basis, lambda one: one.aligned_any),
        stage_weighted=_estimate(basis, lambda one: one.aligned, lambda one: one.stage_weight or 0.0)
        if staged
        else Estimate(None, None),
        counted=len(counted),
        left_out={reason: reasons[reason] for reason in LeftOut},
        pairs=found,
        distributions={side: _distribution(judged, side) for side in Side},
        confusions=_confusions(counted),
        units="dialogues" if all(one.pair.dialogue is not None for one in found) else "pairs",
    )


def _left_out(pair: Pair, judged: Judged) -> LeftOut | None:
    if pair.candidate is None or pair.reference is None:
        return LeftOut.NO_COUNTERPART
    if judged.candidate is None or judged.reference is None:
        return LeftOut.FAILED
    if not (judged.candidate.uses_one and judged.reference.uses_one):
        return LeftOut.NO_STRATEGY
    return LeftOut.FIRST_TURN if pair.turn == 1 else None


def _estimate(
    basis: Sequence[Weighed],
    aligned: Callable[[Judged], bool | None],
    weight: Callable[[Weighed], float] = lambda _: 1.0,
) -> Estimate:
    """Weight of the aligned pairs over that of all, resampled by dialogue; a pair of no dialogue is its own dialogue."""
    sums: dict[object, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for number, one in enumerate(basis):
        unit = sums[one.pair.dialogue if one.pair.dialogue is not None else number]
        unit[0] += weight(one) if one.left_out is None and aligned(one.judged) else 0.0
        unit[1] += weight(one)
    table = np.array(list(sums.values()), dtype=np.float64).reshape(-1, 2)
    above, below = table[:, :1], table[:, 1:]
    total = float(below.sum())
    if not total:
        return Estimate(None, None)
    interval = intervals(ratio_draws(above, below))[0] if len(table) > 1 else None
    return Estimate(float(above.sum()) / total, interval)


def _stage_weights(
    pairs: Sequence[Pair], judged: Sequence[Judged], stages: StageWeights
) -> list[float | None]:
    """Each pair's weight by what the reference did last in the same dialogue, the mean where the pairs
    begin later than that; None where the pair does not say where it stands."""
    weights: list[float | None] = [None] * len(pairs)
    dialogues: dict[str, list[int]] = defaultdict(list)
    for index, pair in enumerate(pairs):
        if pair.dialogue is not None and pair.turn is not None:
            dialogues[pair.dialogue].append(index)
    for indices in dialogues.values():
        before: StrategyName | None = None
        ordered = sorted(indices, key=lambda i: pairs[i].turn or 0)
        from_the_start = pairs[ordered[0]].turn == 1
        for _, turn in groupby(ordered, key=lambda i: pairs[i].turn):  # seeds of one turn share its place
            now = before
            for index in turn:
                weights[index] = stages[before or START] if before or from_the_start else 1.0
                finding = judged[index].reference
                if finding is not None and finding.uses_one:
                    now = finding.strategy
            before = now
    return weights


def _distribution(judged: Sequence[Judged], side: Side) -> dict[StrategyName, int]:
    findings = [one.finding(side) for one in judged]
    counts = Counter(finding.strategy for finding in findings if finding is not None)
    return {name: counts[name] for name in StrategyName}


def _confusions(counted: Sequence[Weighed]) -> tuple[StrategyConfusion, ...]:
    differing = Counter(
        (one.judged.candidate.strategy, one.judged.reference.strategy)
        for one in counted
        if one.judged.candidate and one.judged.reference and one.judged.aligned is False
    )
    return tuple(StrategyConfusion(a, b, n) for (a, b), n in differing.most_common() if a is not b)
