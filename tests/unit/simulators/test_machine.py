from dataclasses import dataclass, field

import pytest

from service.domain.completion import Call
from service.domain.conversation import Message, Outcome, Role
from service.errors import InvalidRequest
from service.simulators.machine import LAST_OPENING, LAST_RESORT, Simulator
from service.simulators.scene import Scene
from service.simulators.step import Ending, Step
from tests.unit.simulators.speaking import log_of


@dataclass
class Puppet:
    """A policy that says what it is given."""

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


async def test_a_reply_to_the_historys_last_word_is_a_round() -> None:
    assert Scene(log_of(("a", "Hi"), history=(Message(Role.USER, "Hello"),))).rounds == 1
    assert Scene(log_of(("a", "Hi"))).rounds == 0


async def test_it_does_not_speak_twice() -> None:
    with pytest.raises(InvalidRequest, match="after the recommender"):
        await Simulator(Puppet()).step(log_of(("u", "Hello")), Call())


async def test_it_says_nothing_after_an_outcome() -> None:
    step = await Simulator(Puppet()).step(log_of(*OPENED, outcome=Outcome(accepted=True, message=0)), Call())
    assert (step.message, step.done, step.outcome) == (None, True, Ending.ALREADY_ENDED)


async def test_where_all_is_empty_there_is_a_last_resort() -> None:
    mute = Puppet(opening=Step(message=None), reaction=Step(message=None), spare=" ")
    assert (await Simulator(mute).step(log_of(), Call())).message == LAST_OPENING
    assert (await Simulator(mute).step(log_of(*OPENED), Call())).message == LAST_RESORT


FALLBACK = ["simulator_fallback"]


@pytest.mark.parametrize(
    ("draft", "said", "flags", "removed"),
    [
        ("   \n", "Anything else?", FALLBACK, ()),
        (None, "Anything else?", FALLBACK, ()),
        ("Hi there! is it scary?", "Is it scary?", [], ("Hi there!",)),
        (
            f"Hello! {OPENED[0][1]}",
            "Anything else?",
            ["simulator_restarted", *FALLBACK],
            ("Hello!", OPENED[0][1]),
        ),
    ],
)
async def test_what_a_mind_may_not_say_is_taken_off_or_replaced(
    draft: str | None, said: str, flags: list[str], removed: tuple[str, ...]
) -> None:
    step = await Simulator(Puppet(reaction=Step(message=draft))).step(log_of(*OPENED), Call())
    assert (step.message, [flag.code for flag in step.flags], step.removed) == (said, flags, removed)
