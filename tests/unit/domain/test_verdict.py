import pytest

from service.domain.completion import Usage
from service.domain.verdict import JudgeName, nearest_level


@pytest.mark.parametrize(
    ("score", "level"),
    [(0, 0), (0.5, 0), (0.51, 1), (1.5, 1), (2.5, 2), (2.6, 3), (4, 4), (3.999, 4), (1, 1)],
)
def test_the_nearest_level_takes_halves_down(score: float, level: int) -> None:
    assert nearest_level(score) == level


def test_judges_are_split_at_the_first_colon() -> None:
    name = JudgeName.parse("ollama:qwen3:32b")
    assert (name.name, name.model) == ("ollama", "qwen3:32b")
    assert str(name) == "ollama:qwen3:32b"
    assert str(JudgeName.parse("builtin")) == "builtin"


@pytest.mark.parametrize("text", ["", ":", "openai:", ":gpt"])
def test_half_a_name_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="name:model"):
        JudgeName.parse(text)


def test_usage_adds_up_and_costs_nothing_only_where_no_price_is_known() -> None:
    total = Usage(10, 2, 4, 0.5, 0) + Usage(5, 1, 0, None, 7)
    assert total == Usage(15, 3, 4, 0.5, 7)
    assert (Usage() + Usage()).cost is None
