"""What holds of agreement whatever the ratings are."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.statistics import published
from service.statistics.agreement import measure
from service.statistics.coefficients import COEFFICIENTS, Coefficient, Condensed, Pairs
from service.statistics.ratings import Kind, Rating

LEVELS = st.integers(0, 4).map(float)
SCORES = st.one_of(LEVELS, st.floats(0, 4, allow_nan=False).map(lambda score: round(score, 3)))
SIDES = st.lists(st.tuples(SCORES, SCORES), min_size=3, max_size=30)


def pairs(sides: list[tuple[float, float]]) -> Pairs:
    first, second = np.array(sides, dtype=np.float64).T
    return Pairs(first, second, np.arange(len(sides)), levels=5)


def own(name: Coefficient, given_pairs: Pairs) -> float:
    condensed = Condensed.of(given_pairs)
    return float(COEFFICIENTS[name](condensed.cells, condensed.counts)[0])


@pytest.mark.parametrize("name", list(Coefficient))
@settings(deadline=None, max_examples=60)
@given(sides=SIDES)
def test_our_arithmetic_is_that_of_the_libraries(name: Coefficient, sides: list[tuple[float, float]]) -> None:
    ours, theirs = own(name, pairs(sides)), published.coefficient(name, pairs(sides))
    assert ours == pytest.approx(theirs, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", list(Coefficient))
@settings(deadline=None, max_examples=60)
@given(sides=SIDES)
def test_none_exceeds_one_and_order_of_raters_does_not_matter(
    name: Coefficient, sides: list[tuple[float, float]]
) -> None:
    there, back = own(name, pairs(sides)), own(name, pairs([(b, a) for a, b in sides]))
    assert there == pytest.approx(back, nan_ok=True)
    assert math.isnan(there) or there <= 1 + 1e-12


@pytest.mark.parametrize("name", list(Coefficient))
@settings(deadline=None, max_examples=40)
@given(scores=st.lists(SCORES, min_size=3, max_size=20))
def test_a_rater_agrees_with_itself_or_says_nothing(name: Coefficient, scores: list[float]) -> None:
    value = own(name, pairs([(score, score) for score in scores]))
    assert math.isnan(value) or value == pytest.approx(1)


LABELS = (
    *("statistic", "over", "factor", "other_factor", "rater", "other", "system", "other_system"),
    *("round", "undefined", "n"),
)
RATERS = st.sampled_from(
    [("one", Kind.JUDGE), ("two", Kind.JUDGE), ("anna", Kind.HUMAN), ("bela", Kind.HUMAN)]
)


def rating(rater: tuple[str, Kind], **fields: Any) -> Rating:
    return Rating(rater=rater[0], kind=rater[1], **fields)


RATINGS = st.lists(
    st.builds(
        rating,
        rater=RATERS,
        conversation=st.sampled_from("abcdef"),
        factor=st.sampled_from("xy"),
        score=SCORES,
        system=st.sampled_from([None, "p", "q"]),
        repeat=st.sampled_from([None, 0, 1]),
        round=st.sampled_from([None, 1, 2]),
        turn=st.sampled_from([None, 1]),
        length=st.sampled_from([None, 3.0, 8.0]),
    ),
    min_size=1,
    max_size=40,
)


@settings(deadline=None, max_examples=30)
@given(ratings=RATINGS, data=st.data())
def test_any_ratings_give_a_table_without_nan_that_their_order_does_not_change(
    ratings: list[Rating], data: st.DataObject
) -> None:
    report = measure(ratings, draws=12)
    for row in report.rows:
        assert (row.value is None) == (row.undefined is not None)
        assert row.value is None or math.isfinite(row.value)
        if row.interval is not None:
            assert row.value is not None
            assert math.isfinite(row.interval.low)
            assert row.interval.low <= row.interval.high
    shuffled = measure(data.draw(st.permutations(ratings)), draws=12)
    figures = {(*labels(row),): row for row in report.rows}
    assert len(figures) == len(report.rows)
    for row in shuffled.rows:
        assert row.value == pytest.approx(figures[(*labels(row),)].value, abs=1e-9)


def labels(row: object) -> list[object]:
    return [getattr(row, name) for name in LABELS]
