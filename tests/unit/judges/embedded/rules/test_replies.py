from dataclasses import replace
from typing import Any

import pytest

from service.domain.conversation import ConversationLog
from service.judges.embedded.observations.observer import read_case
from service.judges.embedded.rules.replies import (
    NAMES,
    NEUTRAL,
    UNSURE,
    carries_on,
    judge_replies,
    read_signals,
    speaks_against,
    weighing,
)
from service.judges.embedded.verdicts.effectiveness import read_choice, read_uptake
from service.judges.inquiry import Case

CARRIED = [
    "U: Can you recommend a comedy?",
    "A: Do you like older ones or something new?",
    "U: Older ones, with a good story",
    'A: How about "Winter Orchard (2011)"? It is about two cooks who share a kitchen.',
    "U: That sounds great, I will watch it. Thank you!",
]
DRAGGED = [
    "U: Can you recommend a comedy?",
    "A: It is a good movie.",
    "U: That is not what I asked, which movie?",
    "A: It is a good movie.",
]


async def _read(log: ConversationLog) -> Any:
    reading = await read_case(Case(log))
    return reading, judge_replies(reading)


@pytest.mark.parametrize("name", ["relevance", "interest"])
async def test_every_signal_has_a_number_and_no_weight_is_negative(make_log: Any, name: str) -> None:
    reading, judged = await _read(make_log(CARRIED))
    rows = read_signals(reading, judged)
    assert all(set(row) == set(NAMES) for row in rows)
    found = weighing(name)
    assert set(found.weight) <= set(NAMES)
    assert min(found.weight.values()) > 0


async def test_replies_that_carry_on_get_more_than_those_that_drag(make_log: Any) -> None:
    good = carries_on(read_signals(*await _read(make_log(CARRIED))))
    bad = carries_on(read_signals(*await _read(make_log(DRAGGED))))
    assert min(good) > max(bad)
    assert all(0 <= points <= 4 for points in [*good, *bad])


async def test_what_speaks_against_a_reply_is_named(make_log: Any) -> None:
    first, second = read_signals(*await _read(make_log(DRAGGED)))
    assert speaks_against(first)
    assert speaks_against(second) in {"rules", "unlike", "new"}
    assert not speaks_against({})


async def test_length_buys_nothing(make_log: Any) -> None:
    long = [*CARRIED[:3], CARRIED[3] + " " + "It is about two cooks who share a kitchen. " * 10, CARRIED[4]]
    short = carries_on(read_signals(*await _read(make_log(CARRIED))))
    assert carries_on(read_signals(*await _read(make_log(long))))[-1] <= short[-1]


async def test_the_end_of_a_live_log_costs_nothing(make_log: Any) -> None:
    ended = carries_on(read_signals(*await _read(make_log(CARRIED[:2]))))
    live = carries_on(read_signals(*await _read(make_log(CARRIED[:2], complete=False))))
    assert live[0] > ended[0]


async def test_uptake_is_shown_by_thanks_and_acceptance(make_log: Any) -> None:
    taken = read_uptake(*await _read(make_log(CARRIED)))
    refused = read_uptake(*await _read(make_log(DRAGGED)))
    assert [read.index for read in taken.taken] == [4]
    assert not refused.taken
    assert 0 <= refused.share < 0.5 < taken.share <= 1


async def test_contentment_counts_by_how_well_the_reply_served(make_log: Any) -> None:
    """The same words say less after a reply that is salad."""

    async def gained(reply: str) -> float:
        talk = ["U: I want a comedy", *[reply, "U: That sounds lovely, thank you!"] * 4]
        return read_uptake(*await _read(make_log(talk))).content

    served = await gained('A: How about "Winter Orchard (2011)"? It is a comedy.')
    salad = await gained("A: the the the the is a the the")
    assert served > 1.3 * salad > 0


async def test_choice_adds_less_with_every_item_and_nothing_where_none_is_new(make_log: Any) -> None:
    offers = [f'A: How about "Winter Orchard {n} (2011)"?' for n in range(1, 5)]
    talk = [line for offer in offers for line in ("U: Something funny?", offer)]
    worth = [read_choice((await _read(make_log(talk[:size])))[1]) for size in (2, 4, 6, 8)]
    steps = [second - first for first, second in zip([0.0, *worth], worth, strict=False)]
    assert all(step > 0 for step in steps)
    assert worth[-1] < 1
    again = read_choice((await _read(make_log([*talk[:2], *talk[:2]])))[1])
    assert again == pytest.approx(worth[0], abs=0.05)


@pytest.mark.parametrize("talk", [CARRIED, DRAGGED])
async def test_turns_of_proactiveness_name_every_reply(ask: Any, talk: list[str]) -> None:
    verdict = await ask(talk, "proactiveness")
    assert [turn.message for turn in verdict.turns] == [i for i, line in enumerate(talk) if line[0] == "A"]


async def test_heads_count_as_far_as_they_are_sure(make_log: Any) -> None:
    reading, judged = await _read(make_log(CARRIED))

    def heard(told: dict[str, float]) -> Any:
        return read_signals(replace(reading, learned=dict.fromkeys(reading.learned, told)), judged)[0]

    doubted, sure = heard({"SEE": 0.5, "REJ": 0.45}), heard({"SEE": 0.9, "REJ": 1.0})
    assert (doubted["then-SEE"], doubted["not-REJ"]) == (0, 0)
    assert sure["then-SEE"] == pytest.approx(0.8)
    assert sure["not-REJ"] == -1
    near, far = heard({"satisfaction": NEUTRAL - UNSURE / 2}), heard({"satisfaction": NEUTRAL - 2 * UNSURE})
    assert near["satisfaction"] == 0
    assert far["satisfaction"] == pytest.approx(-UNSURE)
