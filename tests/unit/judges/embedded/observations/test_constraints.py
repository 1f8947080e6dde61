"""Constraints that a request puts on items beside their kind."""

from collections.abc import Iterable
from typing import Any

import pytest

from service.domain.conversation import Item
from service.judges.embedded.observations.content.topics import wanted_number

FILMS = (
    Item("Copper Canyon (1950)", attributes={"genre": ("western",), "star": ("Ada Lindqvist", "Ken Mori")}),
    Item("Blue Harbour (1999)", attributes={"genre": ("western",), "star": ("Tom Reyes",)}),
    Item("Quillon Reach (2014)", attributes={"genre": ("western",), "star": ("Mei Tanaka",)}),
    Item("Quillon Reach 2 (2017)", attributes={"genre": ("western",), "star": ("Mei Tanaka",)}),
    Item("Quillon Reach: The Long Night (2018)", attributes={"genre": ("western",), "star": ("Mei Tanaka",)}),
)


async def rationale(ask: Any, request: str, reply: str, items: Iterable[Item] = FILMS) -> str:
    verdict = await ask([f"U: {request}", f"A: {reply}"], "coherence", items=items)
    return str(verdict.rationale)


@pytest.mark.parametrize(
    ("request_", "wrong", "right", "told"),
    [
        ("Can you recommend a film with Tom Reyes?", "Copper Canyon (1950)", "Blue Harbour (1999)", "without the people"),
        ("Suggest a western starring Mei Tanaka", "Blue Harbour (1999)", "Quillon Reach (2014)", "without the people"),
        ("List the best Quillon Reach movies", "Blue Harbour (1999)", "Quillon Reach 2 (2017)", "different series"),
        ("Could you suggest an old western film?", "Quillon Reach (2014)", "Copper Canyon (1950)", "different time"),
        ("Do you know of any newer movies?", "Blue Harbour (1999)", "Quillon Reach 2 (2017)", "different time"),
    ],
)  # fmt: skip
async def test_offers_are_held_against_what_was_asked(
    ask: Any, request_: str, wrong: str, right: str, told: str
) -> None:
    assert told in await rationale(ask, request_, f"You should watch {wrong}.")
    assert told not in await rationale(ask, request_, f"You should watch {right}.")


@pytest.mark.parametrize(
    "request_",
    [
        "Can you recommend a western that is not with Tom Reyes?",
        "Can you recommend something like Blue Harbour with Tom Reyes?",
        "Can you recommend a western for my friend Tom?",
        "Recommend something similar to the Quillon Reach movies",
        "I have seen all the Quillon Reach films. Suggest a western.",
        "Suggest a western, I am an old man",
    ],
)
async def test_what_is_no_wish_is_not_asked(ask: Any, request_: str) -> None:
    told = await rationale(ask, request_, "You should watch Copper Canyon (1950).")
    assert not any(words in told for words in ("without the people", "different series", "different time"))


async def test_nothing_is_known_without_a_catalogue(ask: Any) -> None:
    told = await rationale(
        ask, "A film with Tom Reyes, please, recommend one", "You should watch Copper Canyon.", ()
    )
    assert "without the people" not in told


async def test_a_new_request_drops_the_people_of_the_last(ask: Any) -> None:
    script = ["U: Can you recommend a film with Tom Reyes?", "A: What else do you like about such films?",
              "U: Never mind. Can you recommend a western?", "A: You should watch Copper Canyon (1950)."]  # fmt: skip
    assert "without the people" not in (await ask(script, "coherence", items=FILMS)).rationale


@pytest.mark.parametrize(
    ("then", "missed"),
    [
        ("That is not a comedy!", True),
        ("from the nineties!!", True),
        ("Great, and something with Tom Reyes?", False),
    ],
)
async def test_a_wish_that_an_offer_missed_still_holds(ask: Any, then: str, missed: bool) -> None:
    script = ["U: A comedy from the nineties?", "A: You should watch Blue Harbour (1999).", f"U: {then}",
              "A: You should watch Copper Canyon (1950)."]  # fmt: skip
    assert ("different time" in (await ask(script, "coherence", items=FILMS)).rationale) is missed


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Just one movie, please", 1),
        ("I want only 1 movie", 1),
        ("just one of those, please", None),
        ("Give me a list of 5 films", 5),
        ("recommend me the best top 3 movies in 2024", 3),
        ("Can you recommend three movies released this year?", 3),
        ("Please list at least 10.", 10),
        ("the last two films I saw were dull", None),
        ("I like all 9-11 movies", None),
        ("a film of 2 hours", None),
        ("my 12 year old nephew", None),
        ("these are two good suggestions", None),
    ],
)
def test_a_number_that_was_asked_for(text: str, number: int | None) -> None:
    assert wanted_number([text]) == number


async def test_another_number_than_asked_for_weakens_a_reply(ask: Any) -> None:
    three = "1. Copper Canyon (1950)\n2. Blue Harbour (1999)\n3. Quillon Reach (2014)"
    assert "different number" in await rationale(ask, "Recommend just one western, please", three)
    assert "another number" not in await rationale(ask, "Recommend three westerns, please", three)
    assert "different number" in await rationale(ask, "Can you list 5 western movies?", three)


TRIP = "U: Need a quiet hotel by the sea, max 120 euros."


@pytest.mark.parametrize(
    ("reply", "dear"),
    [
        ("Pension Linde is quiet and costs 98 euros.", False),
        ("Villa Palais is grand and costs 480 euros.", True),
        ("Villa Palais costs 480 euros, Pension Linde 98 euros.", False),
        ("Villa Palais is grand and quiet.", False),
    ],
)
async def test_prices_are_held_against_the_limit(ask: Any, reply: str, dear: bool) -> None:
    verdict = await ask([TRIP, f"A: {reply}"], "coherence", domain="travel")
    assert ("prices above what the user wants to pay" in verdict.rationale) is dear


async def test_a_limit_holds_until_another_is_told(ask: Any) -> None:
    talk = [TRIP, "A: Where by the sea?", "U: In the south.", "A: Villa Palais is grand and costs 480 euros."]
    assert "what the user wants to pay" in (await ask(talk, "coherence", domain="travel")).rationale
    more = [*talk[:2], "U: In the south, and up to 500 euros is fine.", talk[3]]
    assert "what the user wants to pay" not in (await ask(more, "coherence", domain="travel")).rationale
