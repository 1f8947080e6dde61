"""PEPPER's proactiveness and personalization."""

from typing import Any

import pytest

from service.domain.conversation import Item, User
from service.judges.embedded.verdicts.elicitation import read_taste


@pytest.mark.parametrize(
    ("replies", "points"),
    [
        (["What kind of films do you like?", "Do you prefer old ones or new ones?"], [5, 5]),
        (["What kind of films do you like?", "How about Winter Orchard (2011)?"], [5, 4]),
        (["How about Winter Orchard (2011)?", "How about Blue Harbour (1999)?"], [2, 2]),
        (["What kind of films do you like?", "That film was made long ago."], [5, 1]),
        (["What kind of films do you like?", "Let me know if I can help."], [5, 3]),
    ],
)
async def test_questions_lead_and_suggestions_show(
    ask: Any, films: Any, replies: list[str], points: list[float]
) -> None:
    script = [
        line for reply in replies for line in ("U: Tell me, what would you pick tonight?", f"A: {reply}")
    ]
    verdict = await ask(script, "pepper-proactiveness", items=films)
    assert [turn.score for turn in verdict.turns] == points


async def test_a_farewell_is_no_occasion(ask: Any) -> None:
    verdict = await ask(["U: Thanks, bye!", "A: Bye!"], "pepper-proactiveness")
    assert verdict.code == "no_occasion"


TASTE = "You enjoy light comedies and films by Ada Lindqvist. You avoid horror and cannot stand westerns, while you dislike war films."


def test_a_narrative_is_read_clause_by_clause() -> None:
    taste = read_taste(TASTE)
    assert taste.liked == {"comedy"}
    assert taste.disliked == {"horror", "western", "war"}
    assert taste.suits(Item("A", attributes={"genre": ("comedy",)})) == 1
    assert taste.suits(Item("B", attributes={"genre": ("horror",)})) == 0
    assert taste.suits(Item("C", attributes={"genre": ("comedy", "horror")})) == 0.5
    assert taste.suits(Item("D", attributes={"director": ("Ada Lindqvist",)})) == 1
    assert taste.suits(Item("E", attributes={"genre": ("romance",)})) == 0.5  # next to comedy
    assert taste.suits(Item("F")) is None


async def personal(ask: Any, films: Any, listed: tuple[str, ...], preferences: str | None = TASTE) -> Any:
    script = ["U: What would you pick?", "A: Here are some ideas."]
    user = User(preferences=preferences)
    return await ask(script, "pepper-personalization", items=films, lists={1: listed}, user=user)


async def test_suggestions_are_held_against_the_preferences(ask: Any, films: Any) -> None:
    good = await personal(ask, films, ("Winter Orchard (2011)",))
    bad = await personal(ask, films, ("Blue Harbour (1999)",))
    mixed = await personal(ask, films, ("Winter Orchard (2011)", "Blue Harbour (1999)"))
    assert (good.score, bad.score, mixed.level) == (5, 1, 3)
    assert bad.evidence[0].message == 1
    assert bad.evidence[0].effect == -4
    assert "“Blue Harbour (1999)”" in mixed.rationale


async def test_explanations_in_the_users_terms_count_a_quarter(ask: Any, films: Any) -> None:
    user = User(preferences=TASTE)
    for said, level in (("It is a comedy.", 5), ("It is a quiet one.", 4)):
        script = ["U: What would you pick?", f"A: I recommend Winter Orchard (2011). {said}"]
        verdict = await ask(script, "pepper-personalization", items=films, user=user)
        assert verdict.level == level


async def test_what_cannot_be_compared_is_not_assessed(ask: Any, films: Any) -> None:
    unknown = await personal(ask, films, ("Quiet Film", "Other Film", "Winter Orchard (2011)"))
    assert unknown.code == "missing_metadata"
    vague = await personal(ask, films, ("Blue Harbour (1999)",), "You are hard to please.")
    assert vague.code == "no_preferences"
    assert (await personal(ask, films, ("Blue Harbour (1999)",), "  ")).code == "missing_preferences"
    assert (await personal(ask, films, ())).code == "no_recommendation_made"
