"""Hints at known names."""

import pytest

from service.domain.nearest import nearest

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
