from collections.abc import Callable
from typing import Any

import pytest

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, User
from service.errors import InvalidRequest
from service.simulators.kinds.persona import PersonaUser
from service.simulators.machine import Simulator
from service.simulators.step import Ending, Step
from tests.unit.simulators.speaking import SILENT, FakeModel

Build = Callable[..., ConversationLog]
USER = User(persona="Curiosity", age_group="Teens", attributes=("comedy", "mystery"))
ASKED = ("u", "I want to laugh and to guess.")
OFFER = ("a", "Try Dr. Moth (1991). It is a comedy and a mystery.", ["Dr. Moth (1991)"])
CONTENT = {"feelings": "I am glad.", "satisfaction": 4}


def _turn(
    decision: str = "continue", first: str = "yes", second: str = "yes", **other: Any
) -> dict[str, Any]:
    wishes = [{"number": 1, "met": first}, {"number": 2, "met": second}]
    said = {"feelings": "I wonder.", "item": "Dr. Moth", "wishes": wishes, "message": "What is it about?"}
    return {**said, "decision": decision, **other}


async def _next(log: ConversationLog, model: FakeModel, max_rounds: int = 10) -> Step:
    return await Simulator(PersonaUser(model, max_rounds=max_rounds)).step(log, Call())


async def test_it_plays_its_persona_and_wishes_in_its_own_words(log_of: Build) -> None:
    model = FakeModel([_turn(item="", first="unknown", second="unknown")])
    step = await _next(log_of(user=USER), model)
    assert not step.done
    assert "how and why" in model.prompts[0]
    assert "about sixteen" in model.prompts[0]
    assert "comedy" not in model.prompts[0]
    assert "laugh" in model.prompts[0]
    assert "funny" in model.prompts[0] or "laugh" in model.prompts[0]


async def test_feelings_are_kept_apart_from_speech(log_of: Build) -> None:
    step = await _next(log_of(ASKED, OFFER, user=USER), FakeModel([_turn(second="unknown")]))
    assert (step.message, step.thoughts) == ("What is it about?", "I wonder.")
    assert "unknown" in (step.rationale or "")


async def test_wanted_items_reach_no_prompt(log_of: Build) -> None:
    model = FakeModel([_turn("accept", message="I take Dr. Moth."), CONTENT])
    await _next(log_of(ASKED, OFFER, user=USER, ground_truth=("Sekrit Zebra (1988)",)), model)
    assert len(model.prompts) == 2
    assert not any("Zebra" in prompt for prompt in model.prompts)


async def test_it_accepts_when_it_believes_all_and_says_how_satisfied_it_is(log_of: Build) -> None:
    model = FakeModel([_turn("accept", message="Great, I take Dr. Moth."), CONTENT])
    step = await _next(log_of(ASKED, OFFER, user=USER), model)
    assert (step.done, step.outcome, step.item) == (True, Ending.ACCEPTED, "Dr. Moth")
    assert (step.message, step.satisfaction) == ("Great, I take Dr. Moth.", 4)
    assert step.thoughts == "I wonder. I am glad."


async def test_a_decision_against_its_belief_is_asked_again(log_of: Build) -> None:
    model = FakeModel(
        [_turn("accept", second="no"), _turn("continue", second="no", message="No mystery? A pity.")]
    )
    step = await _next(log_of(ASKED, OFFER, user=USER), model)
    assert (step.done, step.message) == (False, "No mystery? A pity.")
    assert "do not agree" in model.prompts[1]


async def test_and_not_followed_if_it_stays(log_of: Build) -> None:
    model = FakeModel([_turn("accept", second="no"), _turn("accept", second="unknown", message="I take it!")])
    step = await _next(log_of(ASKED, OFFER, user=USER), model)
    assert not step.done
    assert step.message != "I take it!"
    assert [flag.code for flag in step.flags] == ["acceptance_without_belief"]


async def test_it_cannot_accept_what_nobody_put_forward(log_of: Build) -> None:
    step = await _next(log_of(ASKED, OFFER, user=USER), FakeModel([_turn("accept", item="The Grey Oven")]))
    assert not step.done
    assert "never put" in step.flags[0].detail


async def test_after_ten_rounds_it_takes_its_leave(log_of: Build) -> None:
    lines = [ASKED, ("a", "Hm?")] * 10
    model = FakeModel(
        [_turn(first="no", item="", message="I have to go."), {"feelings": "Sad.", "satisfaction": 2}]
    )
    step = await _next(log_of(*lines, user=USER), model)
    assert (step.done, step.outcome, step.message, step.satisfaction) == (
        True,
        Ending.TURN_LIMIT,
        "I have to go.",
        2,
    )


async def test_the_last_word_may_still_accept(log_of: Build) -> None:
    model = FakeModel([_turn("accept"), CONTENT])
    assert (await _next(log_of(ASKED, OFFER, user=USER), model, max_rounds=1)).outcome is Ending.ACCEPTED


async def test_refusals_are_survived(log_of: Build) -> None:
    step = await _next(log_of(ASKED, OFFER, user=USER), FakeModel([SILENT]))
    assert step.message
    assert step.flags[0].code == "simulator_fallback"
    last = await _next(log_of(ASKED, OFFER, user=USER), FakeModel([_turn("accept"), SILENT]))
    assert (last.outcome, last.satisfaction) == (Ending.ACCEPTED, None)
    assert last.flags[0].code == "satisfaction_unknown"


async def test_it_needs_wishes(log_of: Build) -> None:
    with pytest.raises(InvalidRequest) as refused:
        await _next(log_of(user=User(persona="trust")), FakeModel())
    assert refused.value.errors[0].pointer == "/log/user/attributes"
