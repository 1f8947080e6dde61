import random
import tomllib
from importlib.resources import files
from typing import Any

import pytest

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, User
from service.errors import InvalidRequest
from service.simulators.kinds.scripted import Scripted
from service.simulators.machine import Simulator
from service.simulators.phrases import persona_of, sentence, style_of
from service.simulators.step import Ending, Step
from tests.unit.simulators.speaking import FILMS, log_of

ASKED = ("u", "Could you help me find a film? What I want is crime.")


async def _next(log: ConversationLog, seed: int = 0, max_rounds: int = 10) -> Step:
    return await Simulator(Scripted(seed, max_rounds)).step(log, Call())


async def test_preferences_come_out_over_the_turns() -> None:
    opening = (await _next(log_of(wants=["crime", "dark"]))).message or ""
    stated = [wish for wish in ("crime", "dark") if wish in opening]
    assert len(stated) == 1
    answer = await _next(log_of(("u", opening), ("a", "What else do you like?"), wants=["crime", "dark"]))
    assert ({"crime", "dark"} - set(stated)).pop() in (answer.message or "")


@pytest.mark.parametrize("asked", ["Do you like crime?", "So you want crime?"])
async def test_it_confirms_what_it_wants(asked: str) -> None:
    message = (await _next(log_of(ASKED, ("a", asked), wants=["crime"]))).message or ""
    assert "crime" in message
    assert any(yes in message for yes in ("Yes", "Exactly"))


BAKERY = ["Moon Bakery (2011)"]
TURNED_DOWN = ("u", "No, not Moon Bakery. Please show me something else with crime.")


@pytest.mark.parametrize(
    ("lines", "rationale"),
    [
        (
            [("a", "I recommend Moon Bakery (2011). There is no crime in it.", BAKERY)],
            "Moon Bakery was said to lack something",
        ),
        (
            [("a", "Try Moon Bakery (2011).", BAKERY), TURNED_DOWN, ("a", "See Moon Bakery (2011).", BAKERY)],
            "an item came back that it had turned down",
        ),
        (
            [("a", "I like films."), ("u", "Which one would you recommend?"), ("a", "I like films.")],
            "the reply was the same as an earlier one",
        ),
        ([("a", " ")], "the reply was empty"),
    ],
)
async def test_it_says_why_it_is_not_content(lines: list[Any], rationale: str) -> None:
    assert (await _next(log_of(ASKED, *lines, wants=["crime"]))).rationale == rationale


async def test_a_list_alone_convinces_nobody() -> None:
    step = await _next(log_of(ASKED, ("a", "Here you are.", ["f4"]), wants=["crime"], items=FILMS))
    assert not step.done
    assert "Heat" in (step.message or "")


@pytest.mark.parametrize(("persona", "bears"), [("frustration", 2), ("curiosity", 5)])
async def test_patience_depends_on_the_persona(persona: str, bears: int) -> None:
    user = User(persona=persona, attributes=("crime",))
    lines = [ASKED, ("a", "I like films.")]
    for number in range(12):
        step = await _next(log_of(*lines, user=user), max_rounds=20)
        if step.done:
            break
        lines += [("u", step.message or ""), ("a", f"I like films number {number}.")]
    assert step.outcome is Ending.GAVE_UP
    assert number == bears
    assert step.satisfaction == 1


async def test_at_the_limit_it_says_goodbye() -> None:
    step = await _next(log_of(ASKED, ("a", "What else?"), wants=["crime"]), max_rounds=1)
    assert (step.done, step.outcome, step.satisfaction) == (True, Ending.TURN_LIMIT, 2)
    assert step.message


async def test_a_wanted_item_is_described_not_named_and_taken_on_sight() -> None:
    log = log_of(ground_truth=("Dr. Moth (1991)",), items=FILMS)
    opening = (await _next(log)).message or ""
    assert "Moth" not in opening
    assert any(word in opening for word in ("mystery", "comedy", "playful"))
    shown = log_of(ASKED, ("a", "Here.", ["f3"]), ground_truth=("Dr. Moth (1991)",), items=FILMS)
    assert (await _next(shown)).outcome is Ending.ACCEPTED
    other = log_of(ASKED, ("a", "I recommend Heat (2001)."), ground_truth=("f3",), items=FILMS)
    refused = await _next(other)
    assert refused.rationale == "Heat is not what it has in mind"
    assert "Moth" not in (refused.message or "")


async def test_a_user_without_wishes_still_ends() -> None:
    lines: list[tuple[str, str]] = [("a", "Hello")]
    for number in range(15):
        step = await _next(log_of(*lines))
        if step.done:
            break
        assert step.message
        lines += [("u", step.message), ("a", f"I recommend Moon Bakery (2011), part {number}.")]
    assert step.outcome is Ending.ACCEPTED


@pytest.mark.parametrize("temperature", [None, 0])
async def test_it_does_not_say_the_same_sentence_again(temperature: float | None) -> None:
    user = Simulator(Scripted(temperature=temperature))
    first = (await user.step(log_of(ASKED, ("a", "Hm."), wants=["crime"]), Call())).message or ""
    log = log_of(ASKED, ("a", "Hm."), ("u", first), ("a", "Well."), wants=["crime"])
    assert (await user.step(log, Call())).message not in {None, first}


SLOTS = {**style_of("movie").slots, "wants": "W", "lacks": "L", "asks": "Q", "item": "I"}


def test_an_unknown_persona_names_those_that_there_are() -> None:
    with pytest.raises(InvalidRequest) as refused:
        persona_of(User(persona="grumpy"))
    assert "frustration" in refused.value.errors[0].fix
    assert refused.value.errors[0].pointer == "/log/user/persona"


PHRASES = tomllib.loads((files("service.simulators") / "data" / "phrases.toml").read_text("utf-8"))


@pytest.mark.parametrize("act", PHRASES)
def test_every_sentence_of_an_act_can_be_filled(act: str) -> None:
    drawn = {sentence(act, random.Random(seed), SLOTS) for seed in range(60)}
    assert len(drawn) == len(PHRASES[act])
    assert not any("{" in text or "}" in text for text in drawn)
    assert all(text[0].isupper() for text in drawn)
