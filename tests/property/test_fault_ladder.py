"""The ladder from faults to scores: bounds, and that more or surer faults never raise a score."""

from hypothesis import given
from hypothesis import strategies as st

from service.domain.rubric import Protocol
from service.domain.verdict import DetectedFault, Severity
from service.factors import load_factors
from service.faults import load_faults
from service.faults.ladder import BOUND, BOUNDED, score_replies

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


@given(st.sampled_from(sorted(BOUNDED)), st.lists(detected, max_size=4))
def test_a_proven_violation_bounds_its_reply(fault, others) -> None:  # type: ignore[no-untyped-def]
    home = next(factor for factor in CORE if factor.slug == FAULTS[fault].home)
    proven = DetectedFault(fault, 3, 1.0, certain=True)
    result = score_replies(home, REPLIES, [proven, *others], FAULTS)
    assert next(turn.score for turn in result.turns if turn.message == 3) <= BOUND


@given(factors)
def test_a_log_without_faults_has_full_marks(factor) -> None:  # type: ignore[no-untyped-def]
    assert score_replies(factor, REPLIES, [], FAULTS).score == 4
