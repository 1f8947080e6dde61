"""Counts in sentences."""

import pytest

from service.domain.plurals import counted


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (counted(1, "log"), "1 log"),
        (counted(0, "log"), "0 logs"),
        (counted(1200, "log"), "1,200 logs"),
        (counted(1, "log", of=3), "1 of 3 logs"),
        (counted(1, "log", of=1), "1 of 1 log"),
        (counted(2, "reply", "replies"), "2 replies"),
    ],
)
def test_a_noun_follows_its_number(found: str, told: str) -> None:
    assert found == told
