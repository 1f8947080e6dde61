"""`polite`: a user that asks once, says thank you and takes whatever is offered."""

import random
from dataclasses import dataclass

from ...domain.completion import Call
from ..kind import ROUNDS, Backend, Example, Kind, Setting, SimulatorConfig
from ..scene import Scene
from ..step import Ending, Step

THANKS = ("Thanks.", "Thank you.", "Thanks, that will do.", "Fine, thank you.", "Thank you, that will do.")


@dataclass(frozen=True, slots=True)
class Polite:
    """A user without wishes: it measures what a recommender offers unasked. At a lower temperature it is shorter."""

    max_rounds: int = 1
    seed: int = 0
    freedom: float = 1

    @property
    def accepts(self) -> bool:
        return True

    async def open(self, scene: Scene, _call: Call) -> Step:
        """Ask for anything."""
        return Step(message=self.fallback(scene), rationale="it opens")

    async def react(self, scene: Scene, _call: Call) -> Step:
        """Go on until the rounds are done."""
        return Step(message=self.fallback(scene), rationale="its rounds are not done")

    async def close(self, _scene: Scene, _call: Call) -> Step:
        """Thank for what was offered."""
        return Step(
            message=THANKS[int(random.Random(self.seed).random() * self.freedom * len(THANKS))],
            done=True,
            outcome=Ending.ACCEPTED,
            rationale="it takes anything",
        )

    def fallback(self, _scene: Scene) -> str:
        """The one thing that it says."""
        return "What would you recommend?"


def _build(config: SimulatorConfig) -> Polite:
    freedom = 1 if config.temperature is None else min(1, config.temperature)
    return Polite(**config.settings, seed=config.seed, freedom=freedom)


KIND = Kind(
    name="polite",
    place=60,
    says="asks once, and takes whatever is offered",
    backend=Backend.RULES,
    settings={"max_rounds": Setting(*ROUNDS, 1)},
    knows=(),
    build=_build,
    example=Example(
        log={
            "messages": [
                {"role": "user", "content": "What would you recommend?"},
                {"role": "assistant", "content": "Paper Comets (2015)."},
            ]
        },
        answer={"message": "Thank you, that will do.", "done": True, "outcome": "accepted"},
        worked="Its one round is done: it thanks and accepts.",
    ),
)
