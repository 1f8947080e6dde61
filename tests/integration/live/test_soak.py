"""The soak of `make live-soak`, smaller: workers killed, Redis restarted by both signals, PostgreSQL away."""

import random
from collections import Counter

import pytest

from tools.live_soak import SAID, outcome, posts, soak

pytestmark = pytest.mark.slow


def test_every_conversation_is_in_the_table_once_whatever_fails() -> None:
    found = soak(40, away=3.0, patience=900)
    assert found.sound, found
    assert found.troubles["workers killed"] >= 2
    restarts = {"restarts of Redis by SIGTERM", "restarts of Redis by SIGKILL"}
    assert {*restarts, "PostgreSQL away"} <= found.troubles.keys()


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([("soak-0", 1, 10)], "lost"),
        ([("soak-0", 1, 10), ("soak-0", 2, 10), ("soak-1", 1, 10)], "twice"),
        ([("soak-0", 1, 10), ("soak-1", 1, 9)], "short"),
    ],
)
def test_the_soak_sees_each_fault(rows: list[tuple[str, int, int]], fault: str) -> None:
    found = outcome(rows, 2, Counter())
    assert not found.sound
    assert getattr(found, fault) == 1


def test_the_soak_posts_disorder_and_repeats() -> None:
    posted = list(posts(0, 1, random.Random(0)))
    assert len(posted) == len(SAID) + 2
    assert posted != sorted(posted)
