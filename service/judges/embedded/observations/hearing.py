"""What the encoder's heads hear in the messages of a log."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .acts.learned import SIDES, Said, model, seen_in
from .belonging import MESSAGES, READ
from .figures import Figures

if TYPE_CHECKING:
    from ....encoder.layers import Floats
    from .reading import Read


async def hear(reads: Sequence["Read"]) -> Mapping[int, Figures]:
    """What each message does that both sides saw, by its index. Of messages after the first `MESSAGES` only the place and
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
        seen = seen_in(read.does, read.feeling) if read.is_user else ()
        yield read.index, read.is_user, Said(own, last[not read.is_user], sent[read.is_user], seen)
        last[read.is_user] = own
        sent[read.is_user] += 1
