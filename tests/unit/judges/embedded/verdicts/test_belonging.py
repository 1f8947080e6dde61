"""Replies that do not belong to their conversation cost coherence points, and the verdict shows the texts."""

import re
from typing import Any

import pytest

from service.domain.verdict import Scored
from service.encoder import belonging
from service.judges.embedded.observations.acts.acts import Fit, read_fits
from service.judges.embedded.observations.observer import read_case
from service.judges.embedded.rules.replies import judge_replies
from service.judges.embedded.verdicts.dialogue import CLEAR, COST, DOUBTFUL, guarded, points_lost
from service.judges.inquiry import Case

TALK = [
    "U: I want a slow film about the sea.",
    "A: How about The Quiet Harbour (1999)? It is a calm drama by the sea.",
    "U: Great, who is in it?",
    "A: Mei Tanaka plays the fisherman, and Tom Reyes plays her brother.",
    "U: Lovely, thanks!",
    "A: Have fun!",
]
ELSEWHERE = "A: Your train to Boston leaves at nine in the morning from platform four."


async def test_a_reply_from_another_conversation_costs_points_and_both_texts_are_shown(ask: Any) -> None:
    whole = await ask(TALK, "coherence")
    broken = await ask([*TALK[:3], ELSEWHERE, *TALK[4:]], "coherence")
    assert isinstance(whole, Scored)
    assert isinstance(broken, Scored)
    assert "sentence encoder" not in whole.rationale
    told = re.search(
        r"sentence encoder's reading takes (\d\.\d\d) off the score: (.*?)\. The user's next",
        broken.rationale,
    )
    assert told
    assert broken.score <= whole.score - float(told[1]) + 0.01
    assert "message 3 (“Your train to Boston leaves" in told[2]
    assert "does not fit message 2 (“Great, who is in it?”)" in told[2]
    quoted = {piece.message: piece for piece in broken.evidence}
    assert quoted[2].quote == "Great, who is in it?"
    assert quoted[2].effect == 0
    effects = [piece.effect or 0.0 for piece in broken.evidence]
    assert min(effects) == quoted[3].effect
    assert sum(effects) == pytest.approx(broken.score - 4, abs=0.01)


async def test_the_score_loses_what_the_rationale_says(make_log: Any) -> None:
    reading = await read_case(Case(make_log([*TALK[:3], ELSEWHERE, *TALK[4:]])), fits=True)
    judged = judge_replies(reading)
    held, strays = guarded(reading, judged)
    (stray,) = strays
    assert stray.reply.read.index == 3
    assert [before.score - after.score for before, after in zip(judged, held, strict=True)] == [
        0, pytest.approx(stray.reply.weight), 0
    ]  # fmt: skip


@pytest.mark.parametrize(("probability", "lost"), [(0.9, 0), (DOUBTFUL, 0), (CLEAR, COST), (0.01, COST)])
def test_only_what_clearly_does_not_belong_costs(probability: float, lost: float) -> None:
    assert points_lost(Fit(1, 0, probability)) == lost


def test_the_cost_grows_evenly_between_the_bounds() -> None:
    assert points_lost(Fit(1, 0, (DOUBTFUL + CLEAR) / 2)) == pytest.approx(COST / 2)


async def test_a_few_words_that_fit_anywhere_are_not_held_against_anyone(make_log: Any) -> None:
    reading = await read_case(Case(make_log(["U: Which of the two is shorter?", "A: Have fun!"])), fits=True)
    assert reading.fits
    assert guarded(reading, judge_replies(reading))[1] == []


async def test_what_was_said_before_the_log_is_context_and_is_not_judged(make_log: Any) -> None:
    before = make_log(TALK).messages[:3]
    reading = await read_case(Case(make_log(TALK[3:], history=before)), fits=True)
    assert list(reading.fits) == [2]
    whole = await read_case(Case(make_log(TALK)), fits=True)
    assert reading.fits[2].probability == pytest.approx(whole.fits[5].probability, abs=1e-4)


async def test_replies_without_a_message_of_the_user_are_left_out(make_log: Any) -> None:
    assert await read_fits((), ()) == {}
    for script in (["A: Hello there.", "A: Anyone?"], ["U: Hello."], ["U:", "A: Hello there."]):
        assert (await read_case(Case(make_log(script)), fits=True)).fits == {}


async def test_only_who_asks_for_a_factor_that_hears_it_pays_for_it(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def heard(spoken: object) -> list[object]:
        asked.append(spoken)
        return []

    monkeypatch.setattr(belonging, "belonging", heard)
    await ask(TALK, "proactiveness")
    assert asked == []
    await ask(TALK, "coherence")
    assert len(asked) == 1
