"""How a user takes the replies up."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from service.judges.builtin.uptake import EXPECTED, USUAL, read_uptake


def uptake(served: Sequence[float], learned: Sequence[Mapping[str, float]]) -> float:
    """Of replies that served so well, 0-4, each followed by a message of which the models say so much."""
    reads = [SimpleNamespace(index=place, does={}) for place in range(len(learned))]
    reading: Any = SimpleNamespace(after=lambda place: tuple(reads[place : place + 1]), learned=learned)
    judged: Any = [SimpleNamespace(score=score) for score in served]
    return read_uptake(reading, judged).share


def sounding(satisfaction: float, answers: float) -> dict[str, float]:
    return {"satisfaction": satisfaction, "OTH": answers}


def test_how_content_the_user_sounds_counts_as_far_as_the_messages_answer_replies() -> None:
    swings = [
        uptake([3, 3], [sounding(USUAL + 0.05, answers)] * 2)
        - uptake([3, 3], [sounding(USUAL - 0.05, answers)] * 2)
        for answers in (0.0, 0.3, 0.6)
    ]
    assert swings[0] == 0
    assert swings[2] > 3 * swings[1] > 0


def test_it_counts_as_far_as_the_replies_served() -> None:
    glad, sorry = [sounding(USUAL + 0.1, 0.5)] * 2, [sounding(USUAL - 0.1, 0.5)] * 2
    assert uptake([0, 0], glad) == uptake([0, 0], sorry)
    assert uptake([4, 4], glad) > uptake([4, 4], sorry)


def test_sounding_as_content_as_people_do_neither_helps_nor_hurts() -> None:
    assert uptake([2, 2], [sounding(USUAL, 0.9)] * 2) == pytest.approx(uptake([2, 2], [{}] * 2))


def test_the_end_of_a_session_counts_for_more_than_its_beginning() -> None:
    assert uptake([1, 2, 4], [{}] * 3) > uptake([4, 2, 1], [{}] * 3)


def test_what_is_expected_stands_where_nothing_is_known() -> None:
    assert uptake([], []) == pytest.approx(EXPECTED)
