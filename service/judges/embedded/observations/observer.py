"""Reads a case: every message once, and again for the titles that only others mark. Titles in a message are those that the
catalogue knows, and those that the text marks."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from ....catalogue.catalogue import Catalogue, year_of
from ....catalogue.title_guesses import YEAR_MARK, Verbatim, guess_titles
from ....domain.conversation import Item, Message, Role
from ....steering.detection import find_steering, without_steering
from ....text.words import Span, outside, sentences, split_year, title_key
from ...inquiry import LEAST, Case
from .acts.acts import Figures, Fit, ReplyAct, UserAct, hear, hear_acts, list_entries, read_fits
from .content.topics import find_kinds
from .reading import Named, Read, Reading

#: Characters read between two moments in which other requests may go on.
BATCH = 1_000
#: Cards of a reply that are read as a suggestion.
MOST_SPOKEN = 10
_CAPITALS = r"(?P<title>[A-Z0-9][\w'&-]*(?: (?:(?:of|the|and|a|in|to|for|with|on|from|at|de|la) ){0,2}[A-Z0-9][\w'&-]*){0,6})"
#: A place, or the people that something is for, between its name and the statement about it.
_OF_WHERE = r"(?: (?:on|in|at|near|by|for|from) (?:the )?[\w']{1,20}(?: [A-Z][\w']{0,20}){0,3})?"
_PRAISED = re.compile(
    rf"(?:(?<=\A)|(?<=[.!?,:] )){_CAPITALS}(?={_OF_WHERE} (?:has|have|costs|offers|serves|sells|comes|starts at|does|takes|accepts|allows|follows|tells|covers|explores|includes|seats|weighs|deserves|ticks|(?:is|are|was) [a-z]{{1,20}},? (?:and|but|with|without|has|for|so|because|since)) |: (?:it|they)\b| then\b[:.,]"
    r"| (?:is|was) (?:also )?(?:a|an|another|one|my|the|very|really|pretty|great|good)\b"
    r"| (?:would|should|might|could) (?:also )?(?:suit|fit|be (?:a |an |just )?(?:great|good|perfect|excellent|ideal|lovely|for you|up your))\b"
    r"| (?:sells for|lasts|fits|suits|works (?:well|nicely))\b| (?:by [A-Z][\w'-]{0,30}(?: [A-Z][\w'-]{0,30}){0,2} )?is (?:hard to beat|perfect|ideal|worth|just)\b)"
    rf"|(?:(?i:check out|recommend|suggest|seen|watch|try|like|enjoy|liked|loved|about)(?: the)?(?: [a-z]\w*)?(?: (?:movie|film|book))? )"
    rf"{_CAPITALS.replace('title', 'object')}"
)


#: Titles of a log that are looked for where nothing marks them.
MENTIONED = 200
#: Capitalised at the head of a sentence, and no title.
_NO_TITLE = frozenset(
    ("I", "It", "It's", "He", "She", "They", "That", "This", "There", "What", "Which", "You", "We", "Your", "My", "The", "These",
     "Those", "Yes", "No", "Fiction", "Here", "Both", "All", "Each", "Either", "Neither", "One", "Another")
)  # fmt: skip


def find_named(
    text: str, catalogue: Catalogue | None, *, listed: bool, written: Verbatim | None = None
) -> list[Named]:
    """Titles in order: those that the log's own lists and items write down (`written`) and those of the catalogue, the longer
    first where they overlap. Then come marked ones that neither knows, then entries of a list."""
    found = (
        [_name(text, Span(m.start, m.end, "title"), m.item) for m in catalogue.find(text)]
        if catalogue
        else []
    )
    for place, title in written.find(text) if written else ():
        span = Span(place.start, place.end, "title")
        over = [named for named in found if named.span.overlaps(span)]
        if all(named.end - named.start < span.end - span.start for named in over):
            found = [named for named in found if named not in over]
            found.append(_name(text, span, catalogue.match(title) if catalogue else None, title))
    extra = [Span(guess.start, guess.end, "guess") for guess in guess_titles(text)]
    if listed and not found and not extra:
        extra = list(_capitalised(text))
    heads = [_head(text, entry) for entry in list_entries(text)] if listed else []
    for more in (extra, heads):
        taken = [named.span for named in found]
        found += [_name(text, span, None) for span in outside(more, taken) if span.end > span.start]
    return sorted(found, key=lambda named: named.start)


class Mentions:
    """Titles of a log, found where nothing marks them by the way they are written elsewhere: "something like Arrival"."""

    def __init__(self, titles: Iterable[Named]) -> None:
        self._titles = {title.surface: title for title in titles if title.surface[:1].isupper()}
        self._written = Verbatim(self._titles)

    def find(self, text: str, taken: Iterable[Span]) -> list[Named]:
        """The titles in a text, outside of what is taken."""
        found = []
        for place, surface in self._written.find(text):
            known = self._titles[surface]
            found.append(Named(place.start, place.end, known.surface, known.item, known.key, known.year))
        clear = set(outside((named.span for named in found), taken))
        return [named for named in found if named.span in clear]


def _capitalised(text: str) -> Iterable[Span]:
    """Capitalised words in an otherwise unmarked reply that may be a title: praised or introduced by
    the words around them, and no person."""
    for match in _PRAISED.finditer(text):
        group = "title" if match["title"] else "object"
        name = match[group]
        opener = name.removeprefix("The ").split()[0] in _NO_TITLE
        kind = any(span.start == 0 and span.end == len(name) for span, _, _ in find_kinds(name))
        number = name.isdigit() and match[0].startswith("about")  # "about 11 dollars"
        if not opener and not kind and not number:
            yield Span(match.start(group), match.end(group), "guess")


def _head(text: str, entry: Span) -> Span:
    """The title at the head of a list's entry: up to a dash or the end, ten words at most; none in a plain sentence, nor
    where something was blanked."""
    line = entry.of(text)
    for mark in (" - ", " \u2013 ", " \u2014 ", " by "):
        line = line.split(mark, 1)[0]
    line = line.strip(' *_"“”:')
    if not line or len(line.split()) > 10 or _is_sentence(line) or "   " in line:
        return Span(entry.start, entry.start, "head")
    start = text.find(line, entry.start)
    return Span(start, start + len(line), "head")


def _is_sentence(line: str) -> bool:
    """Return whether words that end like a sentence are written small, as no title is."""
    first = sentences(line)[0].of(line).split()
    return len(first) > 3 and first[-1][-1] in ".?!" and not any(word[0].isupper() for word in first[1:])


def _name(text: str, span: Span, item: Item | None, title: str | None = None) -> Named:
    surface = span.of(text)
    key, year = split_year(title_key(item.title if item else title or surface))
    if item is None and title is not None:
        year = None  # the list's, and not what the text says
    if year is None and (mark := YEAR_MARK.match(text, span.end)):
        year = int(mark[1])
    return Named(span.start, span.end, surface, item, key, year or (year_of(item) if item else None))


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
    reads = list(_answering(reads))
    learned: Mapping[int, Figures] = {}
    if judged:
        await _paced(read.prepared() for read in reads)
        learned = await hear(reads)
    history = tuple(
        _read(i, message, case.catalogue, written, LEAST) for i, message in enumerate(case.log.history[-40:])
    )
    return Reading(case, tuple(reads), history, await _fits(history, reads) if fits else {}, learned)


_FURTHER = re.compile(r"\b(?:anything|something|what) else\b|\bhelp you\b|\bassist you\b", re.IGNORECASE)
_YES = frozenset(("yes", "yeah", "yep", "yup", "sure", "ok", "okay"))
_NO = frozenset(("no", "nope", "nah"))
_COURTESY = frozenset(
    (
        "please",
        "thanks",
        "thank",
        "you",
        "go",
        "ahead",
        "do",
        "that",
        "it",
        "of",
        "course",
        "i",
        "i'm",
        "am",
        "good",
        "fine",
    )
)


def _answering(reads: Iterable[Read]) -> Iterator[Read]:
    """The messages, a bare yes or no to an offer with what it means: a no to further help takes leave, a yes to a step accepts it."""
    before: Read | None = None
    for read in reads:
        meant = None
        if read.is_user and before is not None and ReplyAct.OFFER in before.acts:
            further = _FURTHER.search(before.text) is not None
            if _is_bare(read, _NO if further else _YES):
                meant = UserAct.CLOSE if further else UserAct.ACCEPT
        yield replace(read, meant=meant) if meant else read
        if read.message.is_seen:
            before = None if read.is_user else read


def _is_bare(read: Read, answers: frozenset[str]) -> bool:
    return bool(answers.intersection(read.words[:1])) and read.vocabulary <= answers | _COURTESY


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
