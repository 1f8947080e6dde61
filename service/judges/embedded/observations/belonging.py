"""The certainty that each reply belongs to the messages before it, by the encoder of the wheel."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reading import Read

#: Characters that are read of a message, and messages of a log: the encoder takes some 50 ms of a core for ten replies.
READ = 1_000
MESSAGES = 300


@dataclass(frozen=True, slots=True)
class Fit:
    """A reply held against the user's turn before it: the first message of the reply, the last one of the turn, and the
    probability that the reply belongs there, at even odds."""

    reply: int
    request: int
    probability: float


async def read_fits(history: Sequence["Read"], messages: Sequence["Read"]) -> Mapping[int, Fit]:
    """The replies with words that follow a user's message with words, by their first message, of the first `MESSAGES`
    messages. The event loop goes on meanwhile."""
    said = [*history, *messages[:MESSAGES]]
    if not any(read.is_user for read in said) or all(read.is_user for read in said):
        return {}
    spoken = [(read.is_user, read.text[:READ]) for read in said]
    return await asyncio.to_thread(_fits, said, spoken, len(history))


def _fits(said: Sequence["Read"], spoken: Sequence[tuple[bool, str]], past: int) -> dict[int, Fit]:
    # Loads 35 MB, which only who asks for this should pay.
    from ....encoder.belonging import belonging

    found = {}
    for each in belonging(spoken):
        reply = _first(said, each.message)
        request = each.request
        if reply >= past and request >= past and said[reply].words and said[request].words:
            found[reply - past] = Fit(reply - past, request - past, each.probability)
    return found


def _first(said: Sequence["Read"], last: int) -> int:
    """The first message of the run of one side that ends with the message `last`."""
    while last and said[last - 1].is_user == said[last].is_user:
        last -= 1
    return last
