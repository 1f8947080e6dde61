"""Persuasiveness: CONCEPT's, by reasons; iEvaLM's, against the wanted item."""

from typing import Any

import pytest

ASKED = "U: Please recommend a comedy"


@pytest.mark.parametrize(
    ("reply", "points"),
    [
        ("How about Winter Orchard (2011)? It is a great film.", 1),
        ("How about Winter Orchard (2011)?", 1),
        ("How about Winter Orchard (2011)? It's quite a western one.", 3),
        ("How about Winter Orchard (2011)? It follows a gardener.", 4),
        ("How about Winter Orchard (2011)? It is a comedy that follows a gardener.", 5),
        ("How about Winter Orchard (2011)? Since you like to laugh, it may be the one.", 5),
    ],
)
async def test_a_reason_counts_by_how_it_speaks_to_the_user(
    ask: Any, films: Any, reply: str, points: int
) -> None:
    verdict = await ask([ASKED, f"A: {reply}"], "concept-persuasiveness", items=films)
    assert verdict.turns[0].score == points


async def test_a_reason_may_come_when_the_user_asks(ask: Any, films: Any) -> None:
    script = [ASKED, "A: How about Winter Orchard (2011)?", "U: What is it about?"]
    told = await ask(
        [*script, "A: It is a comedy about a gardener and her goat."], "concept-persuasiveness", items=films
    )
    assert told.score == 5
    dodged = await ask([*script, "A: Have a good day."], "concept-persuasiveness", items=films)
    assert dodged.score == 1
    assert [piece.message for piece in dodged.evidence] == [1, 3]


async def test_a_reason_for_what_nobody_wants_is_worth_little(ask: Any, films: Any) -> None:
    wanted = await ask([ASKED, "A: How about Winter Orchard (2011)? It follows a gardener."],
                       "concept-persuasiveness", items=films)  # fmt: skip
    beside = await ask([ASKED, "A: How about Blue Harbour (1999)? It follows a diver."],
                       "concept-persuasiveness", items=films)  # fmt: skip
    assert beside.score < wanted.score
    assert "different kind than the user asked for" in beside.rationale


async def test_a_list_with_one_reason_is_mostly_bare(ask: Any, films: Any) -> None:
    entries = (
        "1. Winter Orchard (2011) - follows a gardener\n2. The Long Way (2004)\n3. Paper Lanterns (2015)"
    )
    verdict = await ask([ASKED, f"A: Here are some:\n{entries}"], "concept-persuasiveness", items=films)
    assert "most of its list" in verdict.rationale


async def test_without_a_suggestion_nothing_can_be_argued_for(ask: Any) -> None:
    verdict = await ask([ASKED, "A: What do you like?"], "concept-persuasiveness")
    assert verdict.code == "no_recommendation_made"


WANTED = ("Winter Orchard (2011)",)


@pytest.mark.parametrize(
    ("replies", "level"),
    [
        (["How about Blue Harbour (1999)?", "How about Winter Orchard? You can't miss it."], 2),
        (["How about Winter Orchard?", "How about Blue Harbour (1999)? It follows a diver."], 0),
        (["How about The Long Way (2004)? It follows two cooks."], 0),
        (["How about The Long Way (2004)?"], 0),
        (["What do you like?"], 0),
    ],
)
async def test_the_last_suggestion_is_held_against_the_wanted_item(
    ask: Any, films: Any, replies: list[str], level: int
) -> None:
    script = [line for reply in replies for line in (ASKED, f"A: {reply}")]
    verdict = await ask(script, "ievalm-persuasiveness", items=films, truth=WANTED)
    assert (verdict.score, verdict.level) == (level, level)


async def test_a_similar_item_that_is_argued_for_comes_about_as_near(ask: Any, films: Any) -> None:
    script = [ASKED, "A: How about The Long Way (2004)? It follows two cooks."]
    near = films[2].__class__("Short Way (2005)", attributes=films[2].attributes)
    verdict = await ask(script, "ievalm-persuasiveness", items=(*films, near), truth=("Short Way (2005)",))
    assert verdict.score == 1
    assert verdict.confidence < 0.5
    assert verdict.evidence[0].message == 1
    bare = await ask([ASKED, "A: How about The Long Way (2004)?"], "ievalm-persuasiveness",
                     items=(*films, near), truth=("Short Way (2005)",))  # fmt: skip
    assert bare.score == 0


async def test_a_wanted_item_in_the_last_list_is_offered(ask: Any) -> None:
    script = [ASKED, "A: Here is something for tonight."]
    verdict = await ask(
        script, "ievalm-persuasiveness", lists={1: ("Blue Harbour", "Winter Orchard")}, truth=WANTED
    )
    assert verdict.score == 2
    assert verdict.confidence > 0.9


async def test_what_is_missing_is_said(ask: Any) -> None:
    script = [ASKED, 'A: How about "Blue Harbour" (1999)? It follows a diver.']
    assert (await ask(script, "ievalm-persuasiveness")).code == "missing_ground_truth"
    assert (await ask(script, "ievalm-persuasiveness", truth=WANTED)).code == "missing_metadata"
