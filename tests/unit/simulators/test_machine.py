from dataclasses import dataclass, field

import pytest

from service.domain.completion import Call
from service.domain.conversation import Message, Outcome, Role
from service.errors import InvalidRequest
from service.simulators.machine import LAST_OPENING, LAST_RESORT, Phase, Simulator
from service.simulators.scene import Scene
from service.simulators.step import Ending, Step
from tests.unit.simulators.speaking import log_of


@dataclass
class Puppet:
    """A mind that says what it is given."""

    opening: Step = field(default_factory=lambda: Step(message="I'm looking for a quiet film tonight."))
    reaction: Step = field(default_factory=lambda: Step(message="Tell me more."))
    closing: Step = field(default_factory=lambda: Step(message="Bye."))
    spare: str = "Anything else?"
    max_rounds: int = 3
    accepts: bool = True

    async def open(self, scene: Scene, _call: Call) -> Step:
        return self.opening

    async def react(self, scene: Scene, _call: Call) -> Step:
        return self.reaction

    async def close(self, scene: Scene, _call: Call) -> Step:
        return self.closing

    def fallback(self, scene: Scene) -> str:
        return self.spare


OPENED = (("u", "I'm looking for a quiet film tonight."), ("a", "Which one?"))


async def test_it_opens_once_even_after_a_greeting() -> None:
    simulator = Simulator(Puppet())
    assert simulator.phase(Scene(log_of())) is Phase.OPENING
    assert simulator.phase(Scene(log_of(("a", "Hi, how can I help?")))) is Phase.OPENING
    assert simulator.phase(Scene(log_of(*OPENED))) is Phase.REACTING


async def test_a_history_counts_as_opened_but_not_as_rounds() -> None:
    history = (Message(Role.USER, "Hello there"), Message(Role.ASSISTANT, "Hi"))
    scene = Scene(log_of(history=history))
    assert Simulator(Puppet(max_rounds=1)).phase(scene) is Phase.REACTING
    assert scene.rounds == 0


async def test_a_reply_to_the_historys_last_word_is_a_round() -> None:
    assert Scene(log_of(("a", "Hi"), history=(Message(Role.USER, "Hello"),))).rounds == 1
    assert Scene(log_of(("a", "Hi"))).rounds == 0


async def test_it_does_not_speak_twice() -> None:
    with pytest.raises(InvalidRequest, match="after the recommender"):
        await Simulator(Puppet()).step(log_of(("u", "Hello")), Call())


async def test_it_says_nothing_after_an_outcome() -> None:
    step = await Simulator(Puppet()).step(log_of(*OPENED, outcome=Outcome(accepted=True, message=0)), Call())
    assert (step.message, step.done, step.outcome) == (None, True, Ending.ALREADY_ENDED)


async def test_it_closes_when_the_rounds_are_done() -> None:
    step = await Simulator(Puppet(max_rounds=1)).step(log_of(*OPENED), Call())
    assert (step.message, step.done, step.outcome) == ("Bye.", True, Ending.TURN_LIMIT)


async def test_a_closing_may_still_accept() -> None:
    puppet = Puppet(max_rounds=1, closing=Step(message="I take it.", done=True, outcome=Ending.ACCEPTED))
    assert (await Simulator(puppet).step(log_of(*OPENED), Call())).outcome is Ending.ACCEPTED


@pytest.mark.parametrize("draft", ["", "   \n", None])
async def test_an_empty_draft_is_replaced_and_flagged(draft: str | None) -> None:
    step = await Simulator(Puppet(reaction=Step(message=draft))).step(log_of(*OPENED), Call())
    assert step.message == "Anything else?"
    assert [flag.code for flag in step.flags] == ["simulator_fallback"]


async def test_where_all_is_empty_there_is_a_last_resort() -> None:
    mute = Puppet(opening=Step(message=None), reaction=Step(message=None), spare=" ")
    assert (await Simulator(mute).step(log_of(), Call())).message == LAST_OPENING
    assert (await Simulator(mute).step(log_of(*OPENED), Call())).message == LAST_RESORT


async def test_a_second_greeting_is_taken_off_and_reported() -> None:
    puppet = Puppet(reaction=Step(message="Hi there! is it scary?"))
    step = await Simulator(puppet).step(log_of(*OPENED), Call())
    assert step.message == "Is it scary?"
    assert step.removed == ("Hi there!",)


async def test_a_restart_is_replaced() -> None:
    puppet = Puppet(reaction=Step(message="Hello! I'm looking for a quiet film tonight!"))
    step = await Simulator(puppet).step(log_of(*OPENED), Call())
    assert step.message == "Anything else?"
    assert [flag.code for flag in step.flags] == ["simulator_restarted", "simulator_fallback"]


async def test_a_short_word_said_twice_is_no_restart() -> None:
    step = await Simulator(Puppet(reaction=Step(message="Yes"))).step(
        log_of(("u", "Yes"), ("a", "So?")), Call()
    )
    assert step.message == "Yes"
