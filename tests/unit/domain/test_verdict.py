import pytest

from service.domain.completion import Usage
from service.domain.nearest import nearest
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


FIELDS = [
    "complete", "domain", "ground_truth", "history", "id", "items", "messages", "metadata", "outcome", "system", "user",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("mesages", "messages"),
        ("Item", "items"),
        ("groundtruth", "ground_truth"),
        ("user_system", "system"),
        ("ID", "id"),
        *(
            (other, None)
            for other in ("brand", "ratings", "human", "price", "tenant", "locale", "labels", "x", "")
        ),
    ],
)
def test_slips_and_parts_are_near_and_other_words_are_not(name: str, known: str | None) -> None:
    assert nearest(name, FIELDS) == known
