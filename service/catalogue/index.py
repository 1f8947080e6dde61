"""An index of titles by their words, and the search for them in a tokenised text."""

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rapidfuzz.distance import OSA

from ..domain.conversation import Item
from ..text.words import Tokens, everydayness, split_year
from .title_cues import Context
from .title_guesses import marked
from .titles import ARTICLES, MAX_WORDS, Weight, parse_title, weigh

MOST_NEAR = 100
"""Words that are kept for one word with a letter left out: no catalogue has more, and a search compares with each."""

_LOW = (1 << 32) - 1


class Slips:
    """Words by themselves and by each of them with one letter left out: as strings these would take a hundred times the
    memory of the words. A key is the hash of one of these, then the number of
    its word; hashes that collide find a word too many, which a comparison of the letters drops."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)
        keys = array("Q")
        for number, word in enumerate(self._words):
            keys.extend(start | number for start in _starts(word))
        self._keys = np.frombuffer(keys, np.uint64) if keys else np.empty(0, np.uint64)
        self._keys.sort()

    def near(self, word: str) -> Iterator[str]:
        """Words that a slip may have made into `word`, some of them more than once."""
        starts = np.array(list(_starts(word)), np.uint64)
        firsts = np.searchsorted(self._keys, starts)
        lasts = np.searchsorted(self._keys, starts | np.uint64(_LOW), side="right")
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
            for key in self._keys[first : min(last, first + MOST_NEAR)].tolist():
                yield self._words[key & _LOW]


def _starts(word: str) -> set[int]:
    """The least key of each way to write a word."""
    return {(hash(way) & _LOW) << 32 for way in (word, *(word[:i] + word[i + 1 :] for i in range(len(word))))}


# Slips of the pen are forgiven in words and titles from these lengths on.
_SLIP_WORD = 5
_SLIP_TITLE = 9
_SLIP_ALONE = 7
_MOST_SIMILAR = 3
# A longer word is not looked for with a slip: each of its letters left out would be kept.
_LONGEST_WORD = 20

_YEAR = r"((?:18|19|20)\d\d)"
_BRACKETED_YEAR = re.compile(rf"\s{{0,9}}[(\[]\s{{0,9}}{_YEAR}\s{{0,9}}[)\]]")
_BARE_YEAR = re.compile(rf"\s{{0,9}},?\s{{0,9}}[(\[]?\s{{0,9}}(?:the\s{{1,9}})?{_YEAR}\b")
# "Rocky 2" does not name Rocky, but "Rocky 2 times" does.
_NUMBERED = re.compile(
    r"\s(?:part\s+)?\d{1,2}\b(?!\s*(?:x\b|times|years?|months?|weeks?|days?|hours?|min|stars?|/|out\b|%))"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """An item that a text names: `text[start:end] == surface`."""

    start: int
    end: int
    item: Item
    surface: str


@dataclass(frozen=True, slots=True)
class Named:
    """An item that a spelling names, with what else the title says: year and article."""

    item: Item
    year: int | None
    article: str | None

    def is_of(self, year: int | None, *, undated: bool) -> bool:
        """Return whether the item may be of this year, None being any; if `undated`, one of no known year may."""
        return year is None or self.year == year or (undated and self.year is None)


WORDS_A_SUBTITLE = 100
"""The part after a colon takes as much memory as the slips of so many words."""


class Entry:
    """The items that one spelling names: of those of one year and article the best one, however many there are."""

    __slots__ = ("_best", "_named", "_path", "_weight", "shouted")

    def __init__(self, path: str, named: Named) -> None:
        self._path = path  # which the index holds anyway; its words apart take four times as much
        self.shouted = False
        #: Nearly each spelling names one item: tables are made for those of several.
        self._named: Named | dict[tuple[int | None, str | None], Named] = named
        self._best: dict[tuple[int | None, bool, str | None], Item | None] | None = None
        self._weight: Weight | None = None

    def add(self, named: Named) -> None:
        """Take in one more item of this spelling."""
        if isinstance(self._named, Named):
            self._named = {(self._named.year, self._named.article): self._named}
        known = self._named.setdefault((named.year, named.article), named)
        if known is not named and _standing(named.item) < _standing(known.item):
            self._named[named.year, named.article] = named

    def best(self, article: str | None, year: int | None = None, *, undated: bool = True) -> Item | None:
        """The item meant: one with this article, the best known, the newest; with a year only of that year or, if `undated`,
        of none. Kept where there are several, since a text may name them a thousand times."""
        if isinstance(self._named, Named):
            return self._named.item if self._named.is_of(year, undated=undated) else None
        if self._best is None:
            self._best = {}
        key = (year, undated, article)
        if key not in self._best:
            fitting = (one for one in self._named.values() if one.is_of(year, undated=undated))
            best = min(fitting, key=lambda one: (one.article != article, _standing(one.item)), default=None)
            self._best[key] = best.item if best else None
        return self._best[key]

    def opens_with(self, article: str | None) -> bool:
        """Return whether one of the items has this article."""
        if isinstance(self._named, Named):
            return self._named.article == article
        return any(own == article for _, own in self._named)

    @property
    def weight(self) -> Weight:
        """Return how much a text must do to mean it: reckoned when first asked, since most never are."""
        if self._weight is None:
            self._weight = weigh(tuple(self._path.split(" ")))
        return self._weight

    @property
    def letters(self) -> int:
        """Return how long the spelling is without its spaces."""
        return len(self._path.replace(" ", ""))


class TitleIndex:
    """Spellings of titles, each under its words joined by spaces. The beginnings of all are known by their hashes alone. So a
    search stops at the first word that leads nowhere, and long titles take little memory. Slips are forgiven in the first
    `most_forgiven` words, and the part after a colon names an item by itself for so many fewer."""

    def __init__(self, items: Iterable[Item], most_forgiven: int = sys.maxsize) -> None:
        self._most_forgiven = most_forgiven
        self.entries: dict[str, Entry] = {}
        self._vocabulary: dict[str, None] = {}
        beginnings = array("q")
        subtitles: dict[tuple[str, ...], dict[tuple[str, ...], list[Named]]] = {}
        for item in items:
            form = parse_title(item.title)
            named = Named(item, form.year, form.article)
            for words in form.spellings:
                self._add(words, named, beginnings, shouted=form.shouted and words == form.words)
            if form.subtitle is not None and len(subtitles) < most_forgiven // WORDS_A_SUBTITLE:
                subtitles.setdefault(form.subtitle, {}).setdefault(form.words, []).append(named)
        for tail, series in subtitles.items():
            if len(series) == 1 and weigh(tail) is Weight.DISTINCT and " ".join(tail) not in self.entries:
                for named in next(iter(series.values())):
                    self._add(tail, named, beginnings, shouted=False)
        self._mask, self._begun = marked(beginnings)

    def _add(self, words: tuple[str, ...], named: Named, beginnings: "array[int]", *, shouted: bool) -> None:
        if len(words) > MAX_WORDS:
            return
        path = words[0]
        for word in words[1:]:
            beginnings.append(hash(path))
            path = f"{path} {word}"
        entry = self.entries.get(path)
        if entry is None:
            entry = self.entries[path] = Entry(path, named)
        else:
            entry.add(named)
        entry.shouted = entry.shouted or shouted
        for word in words if len(self._vocabulary) < self._most_forgiven else ():
            if _SLIP_WORD <= len(word) <= _LONGEST_WORD and word.isalpha():
                self._vocabulary[word] = None

    def leads(self, path: str) -> bool:
        """Return whether a title may begin with these words; of those that none begins with, one in four at most is let through,
        and costs a step more."""
        return path in self.entries or self._begun[hash(path) & self._mask] != 0

    @cached_property
    def _slips(self) -> Slips:
        return Slips(self._vocabulary)

    def warm(self) -> None:
        """Builds what is otherwise built with the first search."""
        self.similar("unheard")

    def similar(self, word: str) -> Sequence[str]:
        """Words of titles that are one slip away from a word that is none itself."""
        if not _SLIP_WORD <= len(word) <= _LONGEST_WORD or word in self._vocabulary or not word.isalpha():
            return ()
        if everydayness(word) <= 3:
            return ()
        near = set(self._slips.near(word))
        return sorted(known for known in near if known[0] == word[0] and OSA.distance(known, word) == 1)[
            :_MOST_SIMILAR
        ]


def best_of(items: Iterable[Item]) -> Item:
    """Of items that a name fits equally: the best known, else the newest, else the first by title."""
    return min(items, key=_standing)


def search(tokens: Tokens, indices: Sequence[TitleIndex]) -> list[Mention]:
    """Titles in a text, longest first where they overlap; an earlier index wins a tie."""
    context = Context(tokens)
    found = [hit for index in indices for hit in _Walk(tokens, index, context).hits()]
    # A hit that another year rules out in one index may be right in another, so it comes last.
    found.sort(key=lambda hit: (hit[0] - hit[1], hit[0], hit[2] is None))
    taken = bytearray(len(tokens))
    hits = []
    for first, last, hit in found:
        if not any(taken[first:last]):
            taken[first:last] = b"\x01" * (last - first)
            if hit is not None:
                hits.append(hit)
    return sorted(hits, key=lambda hit: hit.start)


class _Walk:
    """One search of one index: from every word along the paths that the text's words follow."""

    def __init__(self, tokens: Tokens, index: TitleIndex, context: Context) -> None:
        self._tokens = tokens
        self._index = index
        self._context = context
        self._similar: dict[str, Sequence[str]] = {}

    def hits(self) -> Iterator[tuple[int, int, Mention | None]]:
        """First and last word and what they name; None where another year rules out the words."""
        words, index = self._tokens.words, self._index
        for first, word in enumerate(words):
            if index.leads(word):
                yield from self._along(word, first, first + 1, slips=0)
            for known in self._near(word):
                yield from self._along(known, first, first + 1, slips=1)

    def _near(self, word: str) -> Sequence[str]:
        if word not in self._similar:
            self._similar[word] = self._index.similar(word)
        return self._similar[word]

    def _along(
        self, path: str, first: int, last: int, *, slips: int
    ) -> Iterator[tuple[int, int, Mention | None]]:
        words, entries, leads = self._tokens.words, self._index.entries, self._index.leads
        while True:
            entry = entries.get(path)
            if entry is None and path.endswith("s") and self._tokens.possessive(last - 1):
                entry = entries.get(path[:-1])
                if entry is not None and entry.weight is Weight.FUNCTION:
                    entry = None  # "it's" is no possessive of a film
            if entry is not None and _forgivable(entry, slips, last - first):
                yield from self._accept(entry, first, last, slips)
            if last == len(words) or not leads(path):
                return
            if not slips:
                for known in self._near(words[last]):
                    longer = f"{path} {known}"
                    if leads(longer):
                        yield from self._along(longer, first, last + 1, slips=1)
            path = f"{path} {words[last]}"
            if not leads(path) and not path.endswith("s"):
                return
            last += 1

    def _accept(
        self, entry: Entry, first: int, last: int, slips: int
    ) -> Iterator[tuple[int, int, Mention | None]]:
        tokens = self._tokens
        text, start, end = tokens.text, tokens.starts[first], tokens.ends[last - 1]
        article = tokens.words[first - 1] if first and tokens.words[first - 1] in ARTICLES else None
        if article is not None and entry.opens_with(article):
            start = tokens.starts[first - 1]
        year = _BRACKETED_YEAR.match(text, end)
        if year is not None:
            item = entry.best(article, int(year[1]))
            end = year.end()
            yield first, last, Mention(start, end, item, text[start:end]) if item is not None else None
            return
        bare = _BARE_YEAR.match(text, end)
        item = entry.best(article, int(bare[1]), undated=False) if bare is not None else None
        if bare is not None and item is not None:
            end = bare.end()
        elif self._meant(entry, first, last, start, slips) and not _NUMBERED.match(text, end):
            item = entry.best(article)
        if item is not None:
            yield first, last, Mention(start, end, item, text[start:end])

    def _meant(self, entry: Entry, first: int, last: int, start: int, slips: int) -> bool:
        weight = entry.weight
        if slips and last - first == 1:
            weight = max(weight, Weight.EVERYDAY)
        return self._context.supports(
            weight, first, last, start, shouted=entry.shouted and weight is not Weight.FUNCTION
        )


def _forgivable(entry: Entry, slips: int, words: int) -> bool:
    if not slips:
        return True
    if words == 1:
        return entry.letters >= _SLIP_ALONE and entry.weight is Weight.DISTINCT
    return entry.letters >= _SLIP_TITLE


def _standing(item: Item) -> tuple[float, int, str]:
    return (-(item.popularity or 0.0), -(split_year(item.title)[1] or 0), item.title)
