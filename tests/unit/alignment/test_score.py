"""Scores against figures worked out by hand."""

import math

import pytest

from service.alignment.pair import Pair, Reply, judge_labelled
from service.alignment.score import Alignment, Denominator, LeftOut, StrategyConfusion, align
from service.alignment.stages import EPSILON, PSEUDO_COUNT, START, estimate
from service.alignment.strategies import STRATEGIES
from service.alignment.strategies import StrategyName as S
from tests.unit.alignment.making import labelled

# Twice as heavy after an inquiry, half as heavy at the start.
STAGES = {**{name.value: 1.0 for name in S}, "opinion_inquiry": 2.0, START: 0.5}

# Dialogue d: four turns, the first aligned; dialogue e: three, the last without a strategy.
PAIRS = [
    labelled(S.OPINION_INQUIRY, S.OPINION_INQUIRY, "d", 1),
    labelled(S.CREDIBILITY, S.OPINION_INQUIRY, "d", 2),
    labelled(S.CREDIBILITY, S.CREDIBILITY, "d", 3),
    labelled(S.ENCOURAGEMENT, S.ENCOURAGEMENT, "d", 4),
    labelled(S.OFFER_HELP, S.OPINION_INQUIRY, "e", 1),
    labelled(S.CREDIBILITY, S.PERSONAL_OPINION, "e", 2),
    labelled(S.NO_STRATEGY, S.CREDIBILITY, "e", 3),
]


def aligned(pairs: list[Pair]) -> Alignment:
    return align(pairs, judge_labelled(pairs), Denominator.PAIRS, STAGES)


def test_stage_weights_follow_what_the_person_did_last() -> None:
    found = aligned(PAIRS)
    assert [one.stage_weight for one in found.pairs] == [0.5, 2.0, 2.0, 1.0, 0.5, 2.0, 1.0]
    # Counted: d2 (miss, 2), d3 (hit, 2), d4 (hit, 1), e2 (miss, 2).
    assert found.stage_weighted.value == pytest.approx(3 / 7)
    twice = aligned([pair for pair in PAIRS for _ in range(2)])  # two replies in each context
    assert [one.stage_weight for one in twice.pairs][::2] == [one.stage_weight for one in found.pairs]
    assert twice.stage_weighted.value == found.stage_weighted.value


def test_distributions_and_confusions_are_counted() -> None:
    found = aligned([*PAIRS, labelled(S.CREDIBILITY, S.OPINION_INQUIRY, "d", 5)])
    ours, theirs = found.distributions.values()
    assert (ours[S.CREDIBILITY], ours[S.NO_STRATEGY], ours[S.TRANSPARENCY]) == (4, 1, 0)
    assert theirs[S.OPINION_INQUIRY] == 4
    assert found.confusions == (
        StrategyConfusion(S.CREDIBILITY, S.OPINION_INQUIRY, 2),
        StrategyConfusion(S.CREDIBILITY, S.PERSONAL_OPINION, 1),
    )


def test_where_nothing_counts_there_is_no_score() -> None:
    found = aligned([labelled(S.NO_STRATEGY, S.NO_STRATEGY)])
    assert (found.score.value, found.score.interval, found.counted) == (None, None, 0)


def test_half_a_pair_is_left_out_and_reported() -> None:
    half = Pair(None, Reply(("says it",), (S.CREDIBILITY,)), "d", 3)
    found = aligned([labelled(S.CREDIBILITY, S.CREDIBILITY), half])
    assert found.left_out[LeftOut.NO_COUNTERPART] == 1
    assert found.score.value == 1.0
    assert found.pairs[1].judged.aligned is None
    assert "candidate has no reply" in found.pairs[1].judged.rationale


def _entropy(*counts: int) -> float:
    masses = [count + PSEUDO_COUNT for count in counts] + [PSEUDO_COUNT] * (len(STRATEGIES) - len(counts))
    return -sum(m / sum(masses) * math.log(m / sum(masses)) for m in masses)


def test_weights_are_inverse_entropies_with_mean_one() -> None:
    dialogues = [[S.OPINION_INQUIRY, S.CREDIBILITY]] * 6 + [[S.OPINION_INQUIRY, S.ENCOURAGEMENT]] * 2
    found = estimate(dialogues)
    start, after = 1 / (_entropy(8) + EPSILON), 1 / (_entropy(6, 2) + EPSILON)
    mean = (8 * start + 8 * after) / 16
    assert found[START] == pytest.approx(start / mean)
    assert found[S.OPINION_INQUIRY] == pytest.approx(after / mean)
