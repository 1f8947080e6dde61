"""Hints at known names."""

import pytest

from service.domain.nearest import nearest

FIELDS = [
    "complete",
    "domain",
    "ground_truth",
    "history",
    "id",
    "items",
    "messages",
    "metadata",
    "outcome",
    "system",
    "user",
]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("mesages", "messages"),
        ("Item", "items"),
        ("groundtruth", "ground_truth"),
        ("user_system", "system"),
        ("ID", "id"),
    ],
)
def test_slips_and_parts_are_near(name: str, known: str) -> None:
    assert nearest(name, FIELDS) == known


@pytest.mark.parametrize(
    "name", ["brand", "ratings", "human", "price", "tenant", "locale", "labels", "x", ""]
)
def test_other_words_are_not(name: str) -> None:
    assert nearest(name, FIELDS) is None
