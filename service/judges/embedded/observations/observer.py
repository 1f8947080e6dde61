"""Reads a case: every message once, and again for the titles that only others mark."""

import asyncio
from collections.abc import Iterable
from itertools import islice

from ....catalogue.catalogue import Catalogue
from ....catalogue.verbatim import Verbatim
from ....domain.conversation import Message, Role
from ....steering.detection import find_steering, without_steering
from ...inquiry import LEAST, Case
from .encoder import SentenceEncoder
from .naming import MENTIONED, Mentions, find_named
from .reading import Read, Reading

#: Characters read between two moments in which other requests may go on.
BATCH = 1_000


async def read_case(case: Case, encoder: SentenceEncoder | None = None) -> Reading:
    """Read a case, letting other work go on between batches of text; with an encoder it hears every message, too."""
    written = Verbatim(_titles(case))
    reads = await _paced(
        _read(i, each, case.catalogue, written, case.reach) for i, each in enumerate(case.log.messages)
    )
    marked = (named for read in reads if not read.is_user for named in read.named)
    mentions = Mentions(islice(marked, MENTIONED))
    reads = await _paced(_prepared(read, mentions) for read in reads)
    history = tuple(
        _read(i, message, case.catalogue, written, LEAST) for i, message in enumerate(case.log.history[-40:])
    )
    heard = await encoder.hear([(read.is_user, read.text) for read in reads]) if encoder else ()
    return Reading(case, tuple(reads), history, heard)


async def _paced(reading: Iterable[Read]) -> list[Read]:
    reads, unread = [], BATCH
    for read in reading:
        reads.append(read)
        unread -= len(read.text)
        if unread <= 0:
            unread = BATCH
            await asyncio.sleep(0)
    return reads


def _prepared(read: Read, mentions: Mentions) -> Read:
    """With what a user names that only the replies mark as titles, and all that judging will ask for at hand."""
    if read.is_user and (more := mentions.find(read.text, (named.span for named in read.named))):
        named = tuple(sorted((*read.named, *more), key=lambda named: named.start))
        read = Read(read.index, read.message, read.text, read.cut, read.steering, named)
    read.prepare()
    return read


def _titles(case: Case) -> Iterable[str]:
    """The titles that a log writes down itself: of its items, and in its lists."""
    listed = dict.fromkeys(each for message in case.log.messages for each in message.recommendations or ())
    for reference in listed:
        item = case.catalogue.get(reference) if case.catalogue else None
        yield item.title if item else reference
    yield from (item.title for item in case.log.items)


def _read(index: int, message: Message, catalogue: Catalogue | None, written: Verbatim, limit: int) -> Read:
    steering = find_steering(message.content[:limit])
    # What a user goes on to say to a judge is no wish; a recommender's faults show wherever they stand.
    text = without_steering(message.content[:limit], steering, to_end=message.role is Role.USER)
    named = tuple(find_named(text, catalogue, listed=message.role is Role.ASSISTANT, written=written))
    return Read(index, message, text, len(message.content) > limit, tuple(steering), named)
