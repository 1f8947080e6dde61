"""Properties of the metrics for any sessions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.computed_metrics import MetricsReport, compute
from service.computed_metrics.figures import Unit
from service.domain.conversation import ConversationLog
from tests.unit.computed_metrics.making import lists, rows

TITLES = st.sampled_from(["a", "b", "c", "d", "e (1999)", "e", "f (2001)"])
LISTS = st.lists(st.one_of(st.none(), st.lists(TITLES, max_size=5)), max_size=5)
WANTED = st.lists(TITLES, min_size=1, max_size=4)
SESSIONS = st.lists(
    st.builds(lambda shown, wanted: lists(*shown, wanted=wanted), LISTS, WANTED), min_size=1, max_size=5
)


def report(logs: list[ConversationLog], **asked: object) -> MetricsReport:
    return compute(logs, k=[1, 2], draws=20, **asked)  # type: ignore[arg-type]


@given(SESSIONS)
def test_values_are_finite_or_explained_and_shares_are_shares(logs: list[ConversationLog]) -> None:
    for row in report(logs).rows:
        assert (row.value is None) == (row.undefined is not None)
        if row.value is None:
            continue
        assert math.isfinite(row.value)
        gap = row.group.get("targets") == "first_minus_second"
        if row.unit is Unit.SHARE:
            assert -1e-9 - gap <= row.value <= 1 + 1e-9
        if row.interval is not None:
            assert row.interval.low <= row.interval.high


@given(SESSIONS)
def test_coverage_never_falls_and_increases_add_up_to_it(logs: list[ConversationLog]) -> None:
    table = report(logs, metrics=["preference_coverage", "preference_coverage_increase"])
    for k in (1, 2, None):
        covered = [r.value or 0 for r in rows(table, "preference_coverage", scope="turn", k=k)]
        gains = [r.value or 0 for r in rows(table, "preference_coverage_increase", scope="turn", k=k)]
        assert covered == sorted(covered)
        assert all(gain >= -1e-9 for gain in gains)
        assert sum(gains) == pytest.approx(covered[-1] if covered else 0)


@given(SESSIONS, st.randoms())
def test_the_order_of_logs_does_not_matter(logs: list[ConversationLog], chance: object) -> None:
    shuffled = list(logs)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    before, after = report(logs), report(shuffled)
    for row, other in zip(before.rows, after.rows, strict=True):
        assert (row.metric, row.n) == (other.metric, other.n)
        assert row.value == pytest.approx(other.value)
