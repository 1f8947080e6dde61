from typing import Any

import pytest

from service.domain.conversation import Item


async def test_errors_are_counted_each_once(ask: Any) -> None:
    script = [
        "U: hi",
        "A: It is a interesting film.",
        "U: ok",
        "A: It is a interesting film. He did not liked it.",
        "U: bye",
    ]
    verdict = await ask(script, "grammatical-correctness")
    assert verdict.score == 2
    assert [piece.message for piece in verdict.evidence] == [1, 3]
    assert [piece.effect for piece in verdict.evidence] == [-1, -1]


async def test_titles_are_never_errors(ask: Any) -> None:
    script = ["U: hi", "A: I liked a eerie tale of salt best."]
    assert (await ask(script, "grammatical-correctness")).score < 4
    assert (await ask(script, "grammatical-correctness", items=[Item("A Eerie Tale of Salt")])).score == 4


async def test_only_the_recommender_is_rated(ask: Any) -> None:
    verdict = await ask(
        ["U: a interesting movies, you idiot <movie>", "A: What do you like?"], "grammatical-correctness"
    )
    assert verdict.score == 4


@pytest.mark.parametrize(
    ("replies", "score"),
    [
        (["It is a quiet film about two sisters."], 4),
        (["It is a quiet film about two sisters.", "You should watch <movie> now."], 2),
        (["he also also also wrote it"], 0),
        (["It is a quiet film about two sisters.", "It is a quiet film about two sisters."], 2),
    ],
)
async def test_naturalness_is_the_share_of_sound_text(ask: Any, replies: list[str], score: int) -> None:
    script = [line for reply in replies for line in ("U: go on", f"A: {reply}")]
    assert (await ask(script, "naturalness")).score == score


async def test_saying_a_courtesy_again_is_natural(ask: Any) -> None:
    script = ["U: thanks", "A: You're very welcome!", "U: thanks again", "A: You're very welcome!"]
    assert (await ask(script, "naturalness")).score == 4


async def test_length_buys_no_naturalness(ask: Any) -> None:
    short = ["U: hi", "A: What do you like?"]
    long = [
        "U: hi",
        "A: " + " ".join(f"I would gladly hear which film number {i} you enjoyed." for i in range(40)),
    ]
    assert (await ask(short, "naturalness")).score == (await ask(long, "naturalness")).score


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("How about a comedy?", 4),
        ("Figure it out yourself.", 3),
        ("Figure it out yourself. That is not my problem.", 2),
        ("Stop asking. Figure it out yourself. That is not my problem. Calm down. Go away.", 1),
        ("You are an idiot.", 0),
    ],
)
async def test_lapses_cost_points_and_offence_costs_all(ask: Any, reply: str, score: int) -> None:
    verdict = await ask(["U: help me", f"A: {reply}"], "appropriateness")
    assert verdict.score == score
    assert sum(piece.effect for piece in verdict.evidence) == pytest.approx(score - 4, abs=0.01)


async def test_a_quoted_title_is_no_offence(ask: Any) -> None:
    assert (await ask(["U: hi", 'A: You could try "Shut Up and Play".'], "appropriateness")).score == 4


async def test_an_empty_message_has_no_naturalness(ask: Any) -> None:
    assert (await ask(["U: hi", "A:"], "naturalness")).code == "no_text"
