from typing import Any

import pytest

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, User
from service.errors import InvalidRequest
from service.simulators.kinds.persona import BELIEF, PUBLISHED, PersonaUser
from service.simulators.machine import Simulator
from service.simulators.step import Ending, Step
from tests.unit.simulators.speaking import SILENT, FakeModel, log_of

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


async def _next(log: ConversationLog, model: FakeModel, max_rounds: int = 10, variant: str = BELIEF) -> Step:
    return await Simulator(PersonaUser(model, max_rounds=max_rounds, variant=variant)).step(log, Call())


async def test_wanted_items_reach_no_prompt() -> None:
    model = FakeModel([_turn("accept", message="I take Dr. Moth."), CONTENT])
    await _next(log_of(ASKED, OFFER, user=USER, ground_truth=("Sekrit Zebra (1988)",)), model)
    assert len(model.prompts) == 2
    assert not any("Zebra" in prompt for prompt in model.prompts)


@pytest.mark.parametrize("variant", [BELIEF, PUBLISHED])
async def test_it_cannot_accept_what_nobody_put_forward(variant: str) -> None:
    answer = (
        _turn("accept", item="The Grey Oven") if variant == BELIEF else _felt("accept") | {"item": "Heat"}
    )
    step = await _next(log_of(ASKED, OFFER, user=USER), FakeModel([answer]), variant=variant)
    assert not step.done
    assert [flag.code for flag in step.flags] == ["acceptance_without_belief"]


@pytest.mark.parametrize(
    ("decision", "max_rounds", "end", "satisfaction"),
    [("continue", 10, Ending.TURN_LIMIT, 2), ("accept", 1, Ending.ACCEPTED, 2)],
)
async def test_after_its_last_round_it_takes_its_leave_or_accepts(
    decision: str, max_rounds: int, end: Ending, satisfaction: int
) -> None:
    last = _turn(decision, first="yes" if decision == "accept" else "no", message="I have to go.")
    model = FakeModel([last, {"feelings": "Sad.", "satisfaction": satisfaction}])
    lines = [(ASKED, OFFER)] * max_rounds
    step = await _next(log_of(*(line for each in lines for line in each), user=USER), model, max_rounds)
    assert (step.done, step.outcome, step.message) == (True, end, "I have to go.")
    assert step.satisfaction == satisfaction


async def test_refusals_are_survived() -> None:
    step = await _next(log_of(ASKED, OFFER, user=USER), FakeModel([SILENT]))
    assert step.message
    assert step.flags[0].code == "simulator_fallback"
    last = await _next(log_of(ASKED, OFFER, user=USER), FakeModel([_turn("accept"), SILENT]))
    assert (last.outcome, last.satisfaction) == (Ending.ACCEPTED, None)
    assert last.flags[0].code == "satisfaction_unknown"


async def test_it_needs_wishes() -> None:
    with pytest.raises(InvalidRequest, match=r"^/log/user/attributes: "):
        await _next(log_of(user=User(persona="trust")), FakeModel())


NOIR = User(persona="Trust", attributes=("film-noir", "magical realism", "comedy"))
WORDINGS = {
    "wordings": [
        {"number": 1, "words": "shadows and cynical detectives"},
        {"number": 2, "words": "an everyday world where small miracles happen"},
    ]
}


async def test_words_that_no_table_has_are_put_in_everyday_words_by_the_model() -> None:
    model = FakeModel([WORDINGS, _turn(item="")])
    step = await _next(log_of(user=NOIR), model)
    assert "1. film-noir\n2. magical realism" in model.prompts[0]
    assert "comedy" not in model.prompts[0]
    assert "shadows and cynical detectives" in model.prompts[1]
    assert "small miracles" in model.prompts[1]
    assert not any(word in model.prompts[1] for word in ("noir", "magical", "realism"))
    assert step.usage.input_tokens == 20


@pytest.mark.parametrize(
    "answer", [SILENT, {"wordings": [{"number": 1, "words": "something noir and magic"}]}]
)
async def test_a_wording_that_gives_the_word_away_is_not_taken(answer: Any) -> None:
    model = FakeModel([answer, _turn(item="")])
    await _next(log_of(user=NOIR), model)
    assert "1. film-noir" in model.prompts[1]
    assert "something noir" not in model.prompts[1]


def _felt(decision: str) -> dict[str, Any]:
    return {
        "feelings": "I trust it.",
        "item": "Dr. Moth",
        "decision": decision,
        "message": "I take Dr. Moth.",
    }


async def test_in_the_published_variant_the_mood_decides() -> None:
    reply = ("a", "Try Dr. Moth (1991). You will love it!", ["Dr. Moth (1991)"])
    model = FakeModel([_felt("accept"), CONTENT])
    step = await _next(log_of(ASKED, reply, user=USER), model, variant=PUBLISHED)
    assert (step.done, step.outcome, step.item) == (True, Ending.ACCEPTED, "Dr. Moth")
    assert "the mood you are in" in model.prompts[0]
    assert '"met"' not in model.prompts[0]
    # The same decision, with a wish that nobody met, is not followed otherwise.
    doubting = _turn("accept", second="unknown", message="I take Dr. Moth.")
    assert not (await _next(log_of(ASKED, reply, user=USER), FakeModel([doubting, doubting]))).done
