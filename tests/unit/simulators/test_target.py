import pytest

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item, SeenItem, User
from service.errors import InvalidRequest
from service.simulators.kinds.target import Target
from service.simulators.kinds.target_free import TargetFree
from service.simulators.machine import Simulator
from service.simulators.step import Ending, Step
from tests.unit.simulators.speaking import FILMS, SILENT, FakeModel, log_of

WANTED = ("Dr. Moth (1991)",)
ASKED = ("u", "Something playful with a riddle in it, please.")


async def _next(log: ConversationLog, model: FakeModel) -> Step:
    return await Simulator(Target(model)).step(log, Call())


def _rounds(
    count: int, last: tuple[str, ...] = ("Paper Comets (2015)",)
) -> list[tuple[str, str, tuple[str, ...]]]:
    lines: list[tuple[str, str, tuple[str, ...]]] = []
    for number in range(count):
        shown = last if number == count - 1 else ("Paper Comets (2015)",)
        lines += [("u", f"Describing it, part {number}.", ()), ("a", "How about this?", shown)]
    return lines


@pytest.mark.parametrize("second", ["An old one, with insects.", "I said Dr. Moth."])
async def test_an_emptied_message_is_drawn_again_then_made_from_attributes(second: str) -> None:
    model = FakeModel([{"message": "Dr. Moth!"}, {"message": second}])
    step = await _next(log_of(ASKED, ("a", "Hm?"), ground_truth=WANTED, items=FILMS), model)
    assert step.removed
    assert model.draws == [0, 1]
    assert step.usage.input_tokens == 20
    if "Moth" not in second:
        assert step.message == second
        return
    assert "Moth" not in (step.message or "")
    assert any(word in (step.message or "").casefold() for word in ("mystery", "comedy", "playful"))
    assert [flag.code for flag in step.flags] == ["simulator_fallback"]


async def test_found_early_it_asks_for_an_introduction() -> None:
    model = FakeModel([{"message": "What is it about?"}])
    step = await _next(log_of(ASKED, ("a", "Here.", ["Dr. Moth (1991)"]), ground_truth=WANTED), model)
    assert not step.done
    assert "introduce" in model.prompts[0]
    spoken_by_rule = await _next(
        log_of(ASKED, ("a", "Here.", ["Dr. Moth (1991)"]), ground_truth=WANTED), FakeModel([SILENT])
    )
    assert "Dr. Moth" in (spoken_by_rule.message or "")


async def test_found_and_three_rounds_done_it_ends_without_a_word() -> None:
    step = await _next(log_of(*_rounds(3, WANTED), ground_truth=WANTED), FakeModel())
    assert (step.done, step.outcome, step.message, step.item) == (True, Ending.FOUND, None, "Dr. Moth")


async def test_after_five_rounds_it_ends_in_any_case() -> None:
    model = FakeModel([{"message": "Still not."}])
    assert not (await _next(log_of(*_rounds(4), ground_truth=WANTED), model)).done
    step = await _next(log_of(*_rounds(5), ground_truth=WANTED), FakeModel())
    assert (step.done, step.outcome, step.message) == (True, Ending.TURN_LIMIT, None)
    assert (
        await _next(log_of(*_rounds(5, WANTED), ground_truth=WANTED), FakeModel())
    ).outcome is Ending.FOUND


async def test_a_recommender_without_lists_finds_by_naming() -> None:
    asked = [ASKED, ("a", "Hm."), ("u", "More riddles."), ("a", "Hm?"), ("u", "Older.")]
    lines = [*asked, ("a", "Is it Dr. Moth (1991)?")]
    assert (await _next(log_of(*lines, ground_truth=WANTED), FakeModel())).outcome is Ending.FOUND


async def test_it_needs_something_to_want() -> None:
    with pytest.raises(InvalidRequest, match=r"^/log/ground_truth: "):
        await _next(log_of(), FakeModel())


USER = User(
    preferences="You enjoy slow stories by the sea. You dislike noise.",
    seen=(SeenItem("Glass Harvest (2018)", "The greenhouses in orbit were wonderful."),),
)
SLOW = ("u", "Do you have something slow?")
SHOWN = ("a", "These may do.", ["f1", "f2", "f3", "Heat", "Unknown Oven (1999)"])
OPINIONS = {
    "items": [
        {"number": 1, "likes": ["the kite"], "dislikes": []},
        {"number": 2, "likes": ["greenhouses"], "dislikes": ["the ending"]},
        {"number": 9, "likes": ["nothing of the kind"], "dislikes": []},
    ]
}


async def _speak(log: ConversationLog, model: FakeModel) -> Step:
    return await Simulator(TargetFree(model)).step(log, Call())


async def test_it_looks_at_the_top_four_with_what_is_known_of_them() -> None:
    model = FakeModel([OPINIONS, {"message": "The kite film draws me, and I love old harbours."}])
    step = await _speak(log_of(SLOW, SHOWN, user=USER, items=FILMS), model)
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
    log = log_of(SLOW, SHOWN, user=USER, items=(*FILMS, secret), ground_truth=("z1",))
    await _speak(log, model)
    assert not any("Zebra" in prompt or "striped" in prompt for prompt in model.prompts)


async def test_refusals_are_survived() -> None:
    step = await _speak(log_of(SLOW, SHOWN, user=USER), FakeModel([SILENT, SILENT]))
    assert step.message
    assert [flag.code for flag in step.flags] == ["reflection_failed", "simulator_fallback"]


async def test_it_ends_after_twenty_rounds() -> None:
    lines = [line for number in range(20) for line in (("u", f"Question {number}?"), ("a", "Answer."))]
    model = FakeModel([{"message": "One more."}])
    assert not (await _speak(log_of(*lines[:-2], user=USER), model)).done
    step = await _speak(log_of(*lines, user=USER), FakeModel())
    assert (step.done, step.outcome, step.message) == (True, Ending.TURN_LIMIT, None)
