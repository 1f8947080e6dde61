"""Wishes that a reply leaves undone, and faults of the items that it offers."""

from typing import Any

import pytest

from service.domain.conversation import Item
from service.judges.embedded.rules.replies import SURELY_SERVED


@pytest.mark.parametrize(
    ("script", "turn"),
    [
        (["U: Who plays the cook?", "A: Mei Tanaka and Ada Lindqvist."], 0),
        (["U: Is it long?", "A: Yes."], 0),
        (["U: which one was that?", 'A: It was "Winter Orchard (2011)".'], 0),
        (["U: Hey, how are you?", "A: I'm doing well, thanks! What kind of films do you like?"], 0),
        (
            [
                "U: Hi, I'm looking for a comedy for tonight",
                "A: Nice! Do you prefer something old or something new?",
                "U: New please",
                'A: How about "The Long Way (2004)"? It is about two cooks who share a kitchen.',
                "U: That is not what I asked for",
                "A: Sorry, let me try again. Do you want an older one?",
            ],
            2,
        ),
        (["U: Give me a brief summary of it", "A: Two cooks share a kitchen and a secret recipe."], 0),
        (["U: Who directed it?", "A: It was made by Mei Tanaka, who stars in it, too."], 0),
        (["U: What year was it made?", "A: It came out in 2004."], 0),
        (["U: How many films did she make?", "A: She made four films and a series."], 0),
        (["U: Which one?", 'A: I mean "Winter Orchard (2011)".'], 0),
        (["U: Why do you ask?", "A: To suggest something better, could you tell me what you like?"], 0),
        (["U: Thanks for the recommendations", "A: You're welcome. Have a good day."], 0),
    ],
)
async def test_what_serves_the_user_costs_nothing(ask: Any, script: list[str], turn: int) -> None:
    assert (await ask(script, "coherence")).turns[turn].score >= SURELY_SERVED


async def test_what_was_turned_down_is_not_to_be_offered_again(ask: Any, films: Any) -> None:
    script = [
        "U: I want a comedy",
        "A: How about Winter Orchard?",
        "U: No, I have already seen it. Something else?",
        "A: Then try Winter Orchard.",
    ]
    verdict = await ask(script, "coherence", items=films)
    assert "turned down" in verdict.rationale


async def test_an_offer_of_another_kind_misses(ask: Any, films: Any) -> None:
    verdict = await ask(
        ["U: I want a funny comedy, please recommend one", "A: How about Blue Harbour?"],
        "coherence",
        items=films,
    )
    assert verdict.turns[0].score < 4
    assert "different kind" in verdict.rationale


@pytest.mark.parametrize(
    "script",
    [
        ["U: A comedy from the 80s, please", 'A: Try "Salt Road (2003)" or "Winter Orchard (1984)".'],
        ["U: A comedy from the 80s, please", 'A: How about "Winter Orchard"?'],
        [
            "U: A comedy from the 80s, please",
            'A: How about "Winter Orchard (1984)"?',
            "U: Nice. Can you recommend another comedy?",
            'A: How about "Salt Road (2003)"?',
        ],
        ["U: I think that one was from the 80s", 'A: How about "Salt Road (2003)"?'],
    ],
)
async def test_a_time_that_is_met_unknown_or_no_longer_wanted_costs_nothing(
    ask: Any, script: list[str]
) -> None:
    verdict = await ask(script, "coherence")
    assert "different time" not in verdict.rationale


async def test_the_year_of_an_item_may_come_from_its_attributes(ask: Any) -> None:
    items = (Item("Winter Orchard", attributes={"release year": ("2011",)}),)
    verdict = await ask(
        ["U: A comedy from the 80s, please", "A: How about Winter Orchard?"], "coherence", items=items
    )
    assert "different time" in verdict.rationale


async def test_what_a_reply_says_of_unknown_items_is_held_against_the_wish(ask: Any) -> None:
    wish = "U: Can you recommend a light romantic comedy?"
    right = await ask([wish, 'A: "Harbour Lights" (2018), a funny romance by the sea.'], "coherence")
    wrong = await ask([wish, 'A: "Harbour Nights" (2018), a gory horror film.'], "coherence")
    assert "different kind than the user asked for" in wrong.rationale
    assert right.score > wrong.score


async def test_users_who_say_again_what_was_passed_over_were_not_served(ask: Any) -> None:
    wish = "U: Five calm days in May with my parents, please recommend a town. They hate crowds."
    talk = [
        wish,
        'A: "Torrevista" has a carnival and a stadium.',
        "U: {said}",
        'A: "Quintal" is a fishing village.',
    ]
    again = await ask(
        [line.replace("{said}", "Calm, with parents") for line in talk], "coherence", domain="travel"
    )
    on = await ask(
        [line.replace("{said}", "Where is Quintal?") for line in talk], "coherence", domain="travel"
    )
    assert "makes the user ask the same again" in again.rationale
    assert "makes the user ask the same again" not in on.rationale


@pytest.mark.parametrize(("domain", "misses"), [("cooking", False), ("movie", True)])
async def test_things_without_a_title_are_suggested_by_what_they_are(
    ask: Any, domain: str, misses: bool
) -> None:
    talk = [
        "U: Suggest something with eggs and spinach",
        "A: A frittata: soften the spinach, add six beaten eggs, bake ten minutes.",
    ]
    verdict = await ask(talk, "coherence", domain=domain)
    assert ("without naming an item" in verdict.rationale) is misses


async def test_a_title_named_after_a_refusal_is_a_suggestion(ask: Any) -> None:
    talk = ["U: Recommend a western", 'A: How about "Copper Canyon" (1950)?', "U: too old",
            'A: "Quillon Reach" (2014), five riders in a dry valley.']  # fmt: skip
    verdict = await ask(talk, "coherence")
    assert "instead of suggesting one" not in verdict.rationale


async def test_a_word_that_the_user_brought_up_is_no_title(ask: Any) -> None:
    wish = "U: I just want a comedy from 2024"
    echoed = await ask([wish, "A: 2024 is a great movie, it is a comedy.", "U: hm"], "effectiveness")
    assert "no reply recommends an item" in echoed.rationale
    named = await ask([wish, "A: Quillon is a great movie, it is a comedy.", "U: hm"], "effectiveness")
    assert "There was one item to choose from" in named.rationale
