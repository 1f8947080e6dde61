"""A user's reactions to replies."""

from collections.abc import Collection, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from service.judges.embedded.observations.acts.acts import UserAct
from service.judges.embedded.rules.replies import Lead
from service.judges.embedded.verdicts.effectiveness import (
    BEYOND,
    EXPECTED,
    GIVES_WAY,
    ORDERS,
    TALK,
    USUAL,
    read_uptake,
)


def uptake(
    served: Sequence[float], learned: Sequence[Mapping[str, float]], *, does: Collection[UserAct] = ()
) -> float:
    """Of replies that served so well, 0-4, each followed by a message that does that much and of which the models say so
    much."""
    reads = [SimpleNamespace(index=place, does=dict.fromkeys(does)) for place in range(len(learned))]
    reading: Any = SimpleNamespace(after=lambda place: tuple(reads[place : place + 1]), learned=learned)
    judged: Any = [SimpleNamespace(score=score, lead=Lead.NOT, offers=False) for score in served]
    return read_uptake(reading, judged).share


def sounding(satisfaction: float, answers: float) -> dict[str, float]:
    return {"satisfaction": satisfaction, "OTH": answers}


def test_how_content_the_user_sounds_counts_as_far_as_the_messages_answer_replies() -> None:
    count = 6
    swings = [
        uptake([3] * count, [sounding(USUAL + 0.05, answers)] * count)
        - uptake([3] * count, [sounding(USUAL - 0.05, answers)] * count)
        for answers in (
            share * (count + BEYOND) / count for share in (ORDERS, (ORDERS + TALK) / 2, TALK, 0.6)
        )
    ]
    assert swings[0] == pytest.approx(0)
    assert swings[2] == pytest.approx(2 * swings[1])
    assert swings[3] == pytest.approx(swings[2])
    assert swings[1] > 0


def test_a_few_messages_tell_little_of_how_somebody_talks() -> None:
    swings = [
        uptake([3] * count, [sounding(USUAL + 0.05, 0.3)] * count)
        - uptake([3] * count, [sounding(USUAL - 0.05, 0.3)] * count)
        for count in (1, 2, 8)
    ]
    assert swings[0] == 0
    assert swings[2] > 3 * swings[1]


def test_accepting_counts_for_more_than_thanks_and_never_gives_way() -> None:
    gains = []
    for answers in (0.0, 0.9):
        neutral = [sounding(USUAL, answers)] * 2
        plain, thanked, accepted = (
            uptake([4, 4], neutral, does=does)
            for does in ((), (UserAct.THANK,), (UserAct.THANK, UserAct.ACCEPT))
        )
        assert plain < thanked < accepted
        assert uptake([4, 4], neutral, does=(UserAct.ACCEPT, UserAct.REJECT)) == plain
        gains.append(accepted - plain)
    assert gains[0] == pytest.approx(gains[1])


def test_it_counts_as_far_as_the_replies_served() -> None:
    glad, sorry = [sounding(USUAL + 0.1, 0.9)] * 2, [sounding(USUAL - 0.1, 0.9)] * 2
    assert uptake([0, 0], glad) == uptake([0, 0], sorry)
    assert uptake([4, 4], glad) > uptake([4, 4], sorry)


def test_how_replies_served_gives_way_among_people_who_answer() -> None:
    # Among those who answer replies, how well these served counts for less than among those who order on.
    spread = [
        uptake([4, 4], [sounding(USUAL, answers)] * 2) - uptake([0, 0], [sounding(USUAL, answers)] * 2)
        for answers in (0.9, 0.0)
    ]
    assert spread[0] == pytest.approx((1 - GIVES_WAY) * spread[1])


def test_the_end_of_a_session_counts_for_more_than_its_beginning() -> None:
    assert uptake([1, 2, 4], [{}] * 3) > uptake([4, 2, 1], [{}] * 3)


def test_what_is_expected_stands_where_nothing_is_known() -> None:
    assert uptake([], []) == pytest.approx(EXPECTED)


def test_a_message_that_sounds_as_neutral_as_accepting_accepts_nothing() -> None:
    # All of them answer a reply, so that only acceptance differs.
    told: tuple[dict[str, float], ...] = ({}, {"ACC": 0.8, "NRE": 0.8}, {"ACC": 0.8})
    plain, torn, accepting = (uptake([3], [{"OTH": 1.0, **heard}]) for heard in told)
    assert plain == torn < accepting
