import pytest

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item, Seen, User
from service.errors import InvalidRequest
from service.simulators.kinds.target_free import TargetFree
from service.simulators.machine import Simulator
from service.simulators.step import Ending, Step
from tests.unit.simulators.speaking import FILMS, SILENT, FakeModel, log_of

USER = User(
    preferences="You enjoy slow stories by the sea. You dislike noise.",
    seen=(Seen("Glass Harvest (2018)", "The greenhouses in orbit were wonderful."),),
)
ASKED = ("u", "Do you have something slow?")
SHOWN = ("a", "These may do.", ["f1", "f2", "f3", "Heat", "Unknown Oven (1999)"])
OPINIONS = {
    "items": [
        {"number": 1, "likes": ["the kite"], "dislikes": []},
        {"number": 2, "likes": ["greenhouses"], "dislikes": ["the ending"]},
        {"number": 9, "likes": ["nothing of the kind"], "dislikes": []},
    ]
}


async def _next(log: ConversationLog, model: FakeModel) -> Step:
    return await Simulator(TargetFree(model)).step(log, Call())


async def test_it_looks_at_the_top_four_with_what_is_known_of_them() -> None:
    model = FakeModel([OPINIONS, {"message": "The kite film draws me, and I love old harbours."}])
    step = await _next(log_of(ASKED, SHOWN, user=USER, items=FILMS), model)
    looked, spoken = model.prompts
    assert "animation, family" in looked
    assert "greenhouses in orbit" in looked
    assert "Heat (2001)" in looked
    assert "Unknown Oven" not in looked
    assert step.thoughts == (
        "Paper Comets (2015) (unseen): likes the kite.\n"
        "Glass Harvest (2018) (seen): likes greenhouses; dislikes the ending."
    )
    assert "likes the kite" in spoken
    assert not step.done


async def test_no_target_reaches_a_prompt() -> None:
    secret = Item("Zebra Parade (1988)", "z1", {"genre": ("striped",)})
    model = FakeModel([OPINIONS, {"message": "Go on."}])
    log = log_of(ASKED, SHOWN, user=USER, items=(*FILMS, secret), ground_truth=("z1",))
    await _next(log, model)
    assert not any("Zebra" in prompt or "striped" in prompt for prompt in model.prompts)


async def test_what_it_said_before_is_drawn_again() -> None:
    model = FakeModel([{"message": "do you have something slow"}, {"message": "And I like harbours."}])
    step = await _next(
        log_of(("u", "Hello."), ("a", "Hm?"), ASKED, ("a", "What do you like?"), user=USER), model
    )
    assert step.message == "And I like harbours."
    assert model.draws == [0, 1]
    stubborn = FakeModel([{"message": ASKED[1]}, {"message": ASKED[1]}])
    step = await _next(log_of(("u", "Hello."), ("a", "Hm?"), ASKED, ("a", "Well?"), user=USER), stubborn)
    assert step.message not in (None, ASKED[1])
    assert step.flags[0].code == "simulator_fallback"


async def test_refusals_are_survived() -> None:
    step = await _next(log_of(ASKED, SHOWN, user=USER), FakeModel([SILENT, SILENT]))
    assert step.message
    assert [flag.code for flag in step.flags] == ["reflection_failed", "simulator_fallback"]


async def test_it_ends_after_twenty_rounds() -> None:
    lines = [line for number in range(20) for line in (("u", f"Question {number}?"), ("a", "Answer."))]
    model = FakeModel([{"message": "One more."}])
    assert not (await _next(log_of(*lines[:-2], user=USER), model)).done
    step = await _next(log_of(*lines, user=USER), FakeModel())
    assert (step.done, step.outcome, step.message) == (True, Ending.TURN_LIMIT, None)


async def test_it_needs_preferences() -> None:
    with pytest.raises(InvalidRequest) as refused:
        await _next(log_of(), FakeModel())
    assert refused.value.errors[0].pointer == "/log/user/preferences"
