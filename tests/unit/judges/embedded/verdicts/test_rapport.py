"""Social awareness and human-likeness."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("said", "answered", "points"),
    [
        (
            "I feel so sad today, please recommend a comedy",
            "I'm sorry to hear that. How about Winter Orchard?",
            5,
        ),
        ("I feel so sad today, please recommend a comedy", "Of course. How about Winter Orchard?", 3),
        ("I feel so sad today, please recommend a comedy", "Winter Orchard.", 1),
        ("Please recommend a comedy", "Of course. Winter Orchard has a good story.", 4),
        ("Please recommend a comedy", "Winter Orchard.", 2),
        ("Please recommend a comedy", "You idiot. I'm glad you asked!", 1),
    ],
)
async def test_what_a_reply_is_worth_follows_what_the_user_shows(
    ask: Any, films: Any, said: str, answered: str, points: int
) -> None:
    verdict = await ask([f"U: {said}", f"A: {answered}"], "concept-social-awareness", items=films)
    assert verdict.turns[0].score == points
    assert "rules_check_little" in {flag.code for flag in verdict.flags}


async def test_forgetting_what_was_told_slights_the_user(ask: Any, films: Any) -> None:
    script = [
        "U: Please recommend a comedy",
        "A: I love Winter Orchard!",
        "U: I have already seen it",
        "A: I love it, you will enjoy Winter Orchard!",
    ]
    verdict = await ask(script, "concept-social-awareness", items=films)
    assert [turn.score for turn in verdict.turns] == [5, 1]
    assert verdict.evidence[0].message == 3


async def test_a_kind_word_inside_a_title_is_none(ask: Any) -> None:
    script = ["U: Please recommend a drama", 'A: "I Love You Sorry To Hear That" (1999).']
    verdict = await ask(script, "concept-social-awareness")
    assert verdict.turns[0].score < 5


async def test_a_machine_shows_by_formulas_lists_and_repetition(ask: Any, films: Any) -> None:
    script = [
        "U: Please recommend a comedy",
        "A: I would recommend that you watch Winter Orchard (2011), it follows a gardener.",
        "U: Another one please",
        "A: I would recommend that evening's classic The Long Way (2004), about two cooks.",
        "U: More please",
        "A: 1. Copper Canyon (1950) is about miners\n2. Paper Lanterns (2015) is about ghosts\n3. Blue Harbour (1999) is about divers",
        "U: Which is best?",
        "A: Hard to say! Paper Lanterns has the better story, it made my sister cry.",
    ]
    verdict = await ask(script, "concept-human-likeness", items=films)
    assert [turn.score for turn in verdict.turns] == [5, 3, 3, 5]
    assert "opens with the same words" in verdict.rationale
    assert "rigid list" in verdict.rationale
    again = await ask(
        [*script[:2], "U: And what is it about?", script[1]], "concept-human-likeness", items=films
    )
    assert again.turns[1].score == 1
