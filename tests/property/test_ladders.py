"""Every count and every share maps to exactly one level, and better evidence never lowers it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.rubric import Factor
from service.domain.verdict import Ladder
from service.factors import load_factors

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
