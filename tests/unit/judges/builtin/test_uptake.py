"""How a user takes the replies up."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from service.judges.builtin.uptake import EXPECTED, GIVES_WAY, ORDERS, TALK, USUAL, read_uptake


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
        for answers in (ORDERS, (ORDERS + TALK) / 2, TALK, 1.0)
    ]
    assert swings[0] == 0
    assert swings[2] == pytest.approx(2 * swings[1])
    assert swings[3] == pytest.approx(swings[2])
    assert swings[1] > 0


def test_it_counts_as_far_as_the_replies_served() -> None:
    glad, sorry = [sounding(USUAL + 0.1, 0.5)] * 2, [sounding(USUAL - 0.1, 0.5)] * 2
    assert uptake([0, 0], glad) == uptake([0, 0], sorry)
    assert uptake([4, 4], glad) > uptake([4, 4], sorry)


def test_other_signs_of_uptake_give_way_among_people_who_answer() -> None:
    plain, content = [sounding(USUAL, 0.9)] * 2, [sounding(USUAL + 0.1, 0.9)] * 2
    assert uptake([2, 2], plain) < uptake([2, 2], content)
    # Among those who answer replies, what else they show counts for less than among those who order on.
    spread = [
        uptake([4, 4], [sounding(USUAL, answers)] * 2) - uptake([0, 0], [sounding(USUAL, answers)] * 2)
        for answers in (0.9, 0.0)
    ]
    assert spread[0] == pytest.approx((1 - GIVES_WAY) * spread[1])
    assert uptake([4, 4], plain) > EXPECTED > uptake([0, 0], plain)


def test_the_end_of_a_session_counts_for_more_than_its_beginning() -> None:
    assert uptake([1, 2, 4], [{}] * 3) > uptake([4, 2, 1], [{}] * 3)


def test_what_is_expected_stands_where_nothing_is_known() -> None:
    assert uptake([], []) == pytest.approx(EXPECTED)
