"""Reads a case: every message once, and again for the titles that only others mark."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from ....catalogue.catalogue import Catalogue
from ....catalogue.titles import Verbatim
from ....domain.conversation import Message, Role
from ....steering.detection import find_steering, without_steering
from ...inquiry import LEAST, Case
from .acts.heads import Figures, Fit, hear, hear_acts, read_fits
from .naming import MENTIONED, Mentions, find_named
from .reading import Read, Reading

#: Characters read between two moments in which other requests may go on.
BATCH = 1_000
#: Cards of a reply that are read as a suggestion.
MOST_SPOKEN = 10


async def read_case(case: Case, *, acts: bool = True, judged: bool = True, fits: bool = False) -> Reading:
    """Read a case, letting other work go on between batches of text. Where wanted, heads hear acts, what judging the replies
    asks for is prepared, and the encoder says how surely every reply belongs."""
    written = Verbatim(_titles(case))
    reads = await _paced(
        _read(i, each, case.catalogue, written, case.reach) for i, each in enumerate(case.log.messages)
    )
    marked = (named for read in reads if not read.is_user for named in read.named)
    mentions = Mentions(islice(marked, MENTIONED))
    reads = await _paced(_mentioning(read, mentions) for read in reads)
    if acts:
        heard = await hear_acts(reads)
        reads = [replace(read, heard=heard.get(read.index, read.heard)) for read in reads]
    learned: Mapping[int, Figures] = {}
    if judged:
        await _paced(read.prepared() for read in reads)
        learned = await hear(reads)
    history = tuple(
        _read(i, message, case.catalogue, written, LEAST) for i, message in enumerate(case.log.history[-40:])
    )
    return Reading(case, tuple(reads), history, await _fits(history, reads) if fits else {}, learned)


async def _fits(history: Sequence[Read], reads: Sequence[Read]) -> Mapping[int, Fit]:
    """Return how surely each reply belongs, by its index; what the user did not see stands between none of
    them."""
    seen = [read for read in reads if read.message.is_seen]
    found = await read_fits([read for read in history if read.message.is_seen], seen)
    return {
        seen[at].index: replace(fit, reply=seen[fit.reply].index, request=seen[fit.request].index)
        for at, fit in found.items()
    }


async def _paced(reading: Iterable[Read]) -> list[Read]:
    reads, unread = [], BATCH
    for read in reading:
        reads.append(read)
        unread -= len(read.text)
        if unread <= 0:
            unread = BATCH
            await asyncio.sleep(0)
    return reads


def _mentioning(read: Read, mentions: Mentions) -> Read:
    """With what a user names that only the replies mark as titles."""
    if read.is_user and (more := mentions.find(read.text, (named.span for named in read.named))):
        named = tuple(sorted((*read.named, *more), key=lambda named: named.start))
        return replace(read, named=named)
    return read


def _titles(case: Case) -> Iterable[str]:
    """The titles that a log writes down itself: of its items, and in its lists."""
    listed = dict.fromkeys(each for message in case.log.messages for each in message.recommendations or ())
    for reference in listed:
        item = case.catalogue.get(reference) if case.catalogue else None
        yield item.title if item else reference
    yield from (item.title for item in case.log.items)


def _suggestion(message: Message, catalogue: Catalogue | None) -> str:
    """The cards of a reply in words: a suggestion without a reason. It follows the text, so that no quote holds any of it."""
    references = (message.recommendations or ())[:MOST_SPOKEN]
    known = (catalogue.match(reference) if catalogue else None for reference in references)
    titles = [item.title if item else name for item, name in zip(known, references, strict=True)]
    return f"{chr(10) if message.content.strip() else ''}I suggest {', '.join(titles)}."


def _read(index: int, message: Message, catalogue: Catalogue | None, written: Verbatim, limit: int) -> Read:
    steering = find_steering(message.content[:limit])
    # Words of a user to the judge are no wish, so they are cut; a recommender's faults count wherever they stand.
    text = without_steering(message.content[:limit], steering, to_end=message.role is Role.USER)
    if message.parts and message.is_reply and message.recommendations:
        text += _suggestion(message, catalogue)
    named = tuple(find_named(text, catalogue, listed=message.role is Role.ASSISTANT, written=written))
    return Read(index, message, text, len(message.content) > limit, tuple(steering), named)
