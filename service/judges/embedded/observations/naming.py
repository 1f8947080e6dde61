"""Titles in a message: those that the catalogue knows, and those that the text marks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ....catalogue.catalogue import Catalogue, year_of
from ....catalogue.title_guesses import guess_titles
from ....catalogue.titles import YEAR_MARK, Verbatim
from ....domain.conversation import Item
from ....text.words import Span, outside, sentences, split_year, title_key
from .acts.acts import list_entries
from .content.topics import find_kinds, kinds_of

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
     "Those", "Yes", "No", "Fiction")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """A title in a message; `item` is None where only the text marks it as a title. `key` is equal for
    two spellings of one title, the year left out; `year` is that of the item, where it is known."""

    start: int
    end: int
    surface: str
    item: Item | None
    key: str
    year: int | None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end, "title")


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


def kinds_offered(named: Iterable[Named]) -> list[frozenset[str]]:
    """Return what is known of the kinds of these items; items without are left out."""
    return [kinds for name in named if name.item and (kinds := kinds_of(name.item))]
