"""The strategies as data."""

from service.alignment.strategies import ALL, NO_STRATEGY, STRATEGIES, StrategyName


def test_every_label_has_a_definition_and_an_example_of_its_own() -> None:
    assert [s.slug for s in ALL] == list(StrategyName)
    assert len(STRATEGIES) == 13
    assert NO_STRATEGY not in {s.slug for s in STRATEGIES}
    assert len({s.definition for s in ALL}) == len({s.example for s in ALL}) == 14
    assert all(s.definition.endswith(".") and s.example for s in ALL)
