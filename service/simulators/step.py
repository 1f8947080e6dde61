"""The next step of a simulated user."""

from dataclasses import dataclass
from enum import StrEnum

from ..domain.completion import NO_USAGE, Usage
from ..domain.verdict import Flag


class Ending(StrEnum):
    """The reason why a simulated user ends a session.

    `accepted`: it takes a recommendation. `found`: a wanted item was shown. `gave_up`: its
    patience is spent. `turn_limit`: the rounds that its protocol allows are done.
    `left`: a function ends it without saying whether it accepts.
    `already_ended`: the log records an outcome, so there is nothing left to say."""

    ACCEPTED = "accepted"
    FOUND = "found"
    GAVE_UP = "gave_up"
    TURN_LIMIT = "turn_limit"
    LEFT = "left"
    ALREADY_ENDED = "already_ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One move of a simulated user.

    `message` is what it says, None only where the session ends without another word. `thoughts`
    are its feelings or reflections, apart from its speech; `satisfaction` 1-5, at the end, where
    the simulator knows it; `item` is the accepted or found one; `removed` holds the sentences
    that a guard took out of the message; `model` is the name that an asked model reported. The words
    of a `verbatim` step stay as they are."""

    message: str | None
    done: bool = False
    outcome: Ending | None = None
    thoughts: str | None = None
    satisfaction: int | None = None
    rationale: str | None = None
    removed: tuple[str, ...] = ()
    item: str | None = None
    flags: tuple[Flag, ...] = ()
    usage: Usage = NO_USAGE
    model: str | None = None
    verbatim: bool = False


ROUNDS_DONE = Step(message=None, done=True, outcome=Ending.TURN_LIMIT, rationale="its rounds are done")
