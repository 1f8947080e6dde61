"""The encoder of the wheel as ears: acts and satisfaction of each message, and how surely each reply belongs."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .acts.learned import SIDES, Figures, Said, model, seen_in

if TYPE_CHECKING:
    from ....encoder.layers import Floats
    from .reading import Read

#: Characters that are read of a message, and messages of a log: the encoder takes some 50 ms of a core for ten replies.
READ = 1_000
MESSAGES = 300


async def hear(reads: Sequence["Read"]) -> Mapping[int, Figures]:
    """Return what each message does that both sides saw, by its index. Of messages after the first `MESSAGES` only the place and
    what rules see in them is known. The event loop goes on meanwhile."""
    seen = [read for read in reads if read.message.is_seen]
    return await asyncio.to_thread(_heard, seen) if seen else {}


def _heard(seen: Sequence["Read"]) -> dict[int, Figures]:
    found: dict[int, Figures] = {}
    told = list(_said(seen))
    for side in SIDES:
        own = [(index, said) for index, is_user, said in told if is_user is (side == "user")]
        figures = model()[side].read([said for _, said in own])
        found |= {index: row for (index, _), row in zip(own, figures, strict=True)}
    return found


def _said(seen: Sequence["Read"]) -> Iterator[tuple[int, bool, Said]]:
    """Each message's index, whether the user says it, and what the heads read of it."""
    # Loads 35 MB, which only who asks for this should pay.
    from ....encoder.encoder import profile

    last: dict[bool, Floats | None] = {True: None, False: None}
    sent = {True: 0, False: 0}
    for number, read in enumerate(seen):
        text = read.text[:READ].strip() if number < MESSAGES else ""
        own = profile(text) if text else None
        marks = seen_in(read.does, read.feeling) if read.is_user else ()
        yield read.index, read.is_user, Said(own, last[not read.is_user], sent[read.is_user], marks)
        last[read.is_user] = own
        sent[read.is_user] += 1


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
