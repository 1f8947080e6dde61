"""Every count and every share maps to exactly one level, and better evidence never lowers it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.rubric import Factor, Protocol
from service.domain.verdict import DetectedFault, Ladder, Severity
from service.factors import load_factors
from service.faults import load_faults
from service.faults.ladder import score_replies

LADDERS = [
    pytest.param(factor, ladder, id=f"{factor.slug}-{name}")
    for factor in load_factors().values()
    for name, ladder in factor.ladders.items()
]
AMOUNTS = st.one_of(st.integers(0, 10_000), st.floats(0, 1), st.fractions(0, 1).map(float))


@pytest.mark.parametrize(("factor", "ladder"), LADDERS)
@given(a=AMOUNTS, b=AMOUNTS)
def test_ladders_are_total_and_monotone(factor: Factor, ladder: Ladder, a: float, b: float) -> None:
    low, high = ladder.level(min(a, b)), ladder.level(max(a, b))
    assert {low, high} <= set(factor.scale.levels)
    assert low >= high if ladder.falling else low <= high


HALVES = (0, 0.1, 0.5, 0.51, 1)
LEVELS: list[tuple[str, str, list[float], list[int]]] = [
    *(
        (slug, "count", [*range(7)], [4, 3, 2, 1, 0, 0, 0])
        for slug in ("coherence", "grammatical-correctness", "groundness", "recoverability")
    ),
    *(
        (slug, "share", [n / 12 for n in range(13)], [0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4])
        for slug in ("proactiveness", "naturalness", "explainability")
    ),
    ("semantic-relevance", "share", [n / 10 for n in range(11)], [0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4]),
    ("novelty", "count", [*range(12)], [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4]),
    ("novelty", "share", [0, 0.24, 0.25, 0.49, 0.5, 1], [0, 0, 3, 3, 4, 4]),
    ("effectiveness", "very-similar", [*HALVES], [0, 2, 2, 3, 3]),
    ("effectiveness", "somewhat-similar", [*HALVES], [0, 1, 1, 2, 2]),
    ("diversity", "widest", [*range(7)], [0, 0, 0, 1, 2, 3, 3]),
    ("diversity", "second-widest", [*range(7)], [0, 0, 0, 2, 3, 4, 4]),
]


@pytest.mark.parametrize(("slug", "name", "amounts", "levels"), LEVELS)
def test_levels(slug: str, name: str, amounts: list[float], levels: list[int]) -> None:
    ladder = load_factors()[slug].ladders[name]
    assert [ladder.level(amount) for amount in amounts] == levels


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), -0.001])
def test_values_that_mean_nothing_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite value"):
        load_factors()["novelty"].ladders["share"].level(value)


FAULTS = load_faults()
CORE = load_factors().of(Protocol.CORE)
REPLIES = (1, 3, 5, 7)

detected = st.builds(
    DetectedFault,
    fault=st.sampled_from(sorted(FAULTS)),
    message=st.sampled_from((*REPLIES, 8)),
    probability=st.floats(0, 1),
    certain=st.just(False),
    severity=st.sampled_from((None, *Severity)),
)
certain = st.builds(
    DetectedFault,
    fault=st.sampled_from(sorted(FAULTS)),
    message=st.sampled_from(REPLIES),
    probability=st.just(1.0),
    certain=st.just(True),
)
factors = st.sampled_from(CORE)


@given(factors, st.lists(detected, max_size=8), detected)
def test_one_more_fault_never_raises_a_score(factor, found, more) -> None:  # type: ignore[no-untyped-def]
    before = score_replies(factor, REPLIES, found, FAULTS)
    after = score_replies(factor, REPLIES, [*found, more], FAULTS)
    assert after.score <= before.score + 1e-9


@given(factors, st.lists(detected, min_size=1, max_size=8), st.floats(0, 1))
def test_a_surer_fault_never_raises_a_score(factor, found, probability) -> None:  # type: ignore[no-untyped-def]
    first = found[0]
    surer = DetectedFault(
        first.fault, first.message, max(first.probability, probability), severity=first.severity
    )
    before = score_replies(factor, REPLIES, found, FAULTS)
    after = score_replies(factor, REPLIES, [surer, *found[1:]], FAULTS)
    assert after.score <= before.score + 1e-9


@given(factors, st.lists(st.one_of(detected, certain), max_size=12))
def test_scores_and_points_stay_on_the_scale(factor, found) -> None:  # type: ignore[no-untyped-def]
    result = score_replies(factor, REPLIES, found, FAULTS)
    assert 0 <= result.score <= 4
    assert all(0 <= turn.score <= 4 for turn in result.turns)
    assert (
        result.score
        <= sum(turn.score for turn in result.turns if turn.message in REPLIES) / len(REPLIES) + 0.01
    )
    assert all(factor.slug in FAULTS[one.fault].costs for one in result.faults)


@given(st.sampled_from(["breaks-constraint", "ignores-exclusion"]), st.lists(detected, max_size=4))
def test_a_proven_violation_bounds_its_reply(fault, others) -> None:  # type: ignore[no-untyped-def]
    home = next(factor for factor in CORE if factor.slug == FAULTS[fault].home)
    proven = DetectedFault(fault, 3, 1.0, certain=True)
    result = score_replies(home, REPLIES, [proven, *others], FAULTS)
    assert next(turn.score for turn in result.turns if turn.message == 3) <= 0.5


@given(factors)
def test_a_log_without_faults_has_full_marks(factor) -> None:  # type: ignore[no-untyped-def]
    assert score_replies(factor, REPLIES, [], FAULTS).score == 4
