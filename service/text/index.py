"""An index of titles by their words, and the search for them in a tokenised text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import OSA

from ..domain.conversation import Item
from .everyday import Weight, everydayness, weigh
from .evidence import Context
from .normalise import Tokens, split_year
from .titles import ARTICLES, parse_title

# A longer title is not looked for in texts: it would let one item make every search slow.
MAX_WORDS = 30
# Slips of the pen are forgiven in words and titles from these lengths on.
_SLIP_WORD = 5
_SLIP_TITLE = 9
_SLIP_ALONE = 7
_MOST_SIMILAR = 3

_YEAR = r"((?:18|19|20)\d\d)"
_BRACKETED_YEAR = re.compile(rf"\s{{0,9}}[(\[]\s{{0,9}}{_YEAR}\s{{0,9}}[)\]]")
_BARE_YEAR = re.compile(rf"\s{{0,9}},?\s{{0,9}}[(\[]?\s{{0,9}}(?:the\s{{1,9}})?{_YEAR}\b")
# "Rocky 2" does not name Rocky, but "Rocky 2 times" does.
_NUMBERED = re.compile(
    r"\s(?:part\s+)?\d{1,2}\b(?!\s*(?:x\b|times|years?|months?|weeks?|days?|hours?|min|stars?|/|out\b|%))"
)


@dataclass(frozen=True, slots=True)
class Hit:
    """An item and its place in the text."""

    start: int
    end: int
    item: Item


@dataclass(frozen=True, slots=True)
class Named:
    """An item that a spelling names, with what else the title says: year and article."""

    item: Item
    year: int | None
    article: str | None


class Entry:
    """What one spelling names."""

    __slots__ = ("_weight", "named", "shouted", "words")

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.named: list[Named] = []
        self.shouted = False
        self._weight: Weight | None = None

    @property
    def weight(self) -> Weight:
        """How much a text must do to mean it: reckoned when first asked, since most never are."""
        if self._weight is None:
            self._weight = weigh(self.words)
        return self._weight

    @property
    def letters(self) -> int:
        """How long the spelling is without its spaces."""
        return sum(map(len, self.words))


class TitleIndex:
    """Spellings of titles, each under its words joined by spaces; every beginning of one is a
    key as well, so that a search stops at the first word that leads nowhere."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.paths: dict[str, Entry | None] = {}
        self._vocabulary: set[str] = set()
        subtitles: dict[tuple[str, ...], dict[tuple[str, ...], list[Named]]] = {}
        for item in items:
            form = parse_title(item.title)
            named = Named(item, form.year, form.article)
            for words in form.spellings:
                self._add(words, named, shouted=form.shouted and words == form.words)
            if form.subtitle is not None:
                subtitles.setdefault(form.subtitle, {}).setdefault(form.words, []).append(named)
        for tail, series in subtitles.items():
            if len(series) == 1 and weigh(tail) is Weight.DISTINCT and self.paths.get(" ".join(tail)) is None:
                for named in next(iter(series.values())):
                    self._add(tail, named, shouted=False)

    def _add(self, words: tuple[str, ...], named: Named, *, shouted: bool) -> None:
        if len(words) > MAX_WORDS:
            return
        path = ""
        for word in words[:-1]:
            path = f"{path} {word}" if path else word
            self.paths.setdefault(path, None)
        path = f"{path} {words[-1]}" if path else words[-1]
        entry = self.paths.get(path)
        if entry is None:
            entry = self.paths[path] = Entry(words)
        entry.shouted = entry.shouted or shouted
        entry.named.append(named)
        self._vocabulary.update(word for word in words if len(word) >= _SLIP_WORD and word.isalpha())

    @cached_property
    def _slips(self) -> dict[str, list[str]]:
        """The vocabulary by itself and by each of its words with one letter left out."""
        slips: dict[str, list[str]] = {}
        for word in self._vocabulary:
            for shorter in _shortened(word):
                slips.setdefault(shorter, []).append(word)
        return slips

    def warm(self) -> None:
        """Builds what is otherwise built with the first search."""
        self.similar("unheard")

    def similar(self, word: str) -> Sequence[str]:
        """Words of titles that are one slip away from a word that is none itself."""
        if len(word) < _SLIP_WORD or len(word) > 20 or word in self._vocabulary or not word.isalpha():
            return ()
        if everydayness(word) <= 3:
            return ()
        near = {known for shorter in _shortened(word) for known in self._slips.get(shorter, ())}
        return sorted(known for known in near if known[0] == word[0] and OSA.distance(known, word) == 1)[
            :_MOST_SIMILAR
        ]


def choose(items: Iterable[Item]) -> Item | None:
    """Of items that a name fits equally: the best known, else the newest, else the first by title."""
    return min(items, key=_standing, default=None)


def search(tokens: Tokens, indices: Sequence[TitleIndex]) -> list[Hit]:
    """Titles in a text, longest first where they overlap; an earlier index wins a tie."""
    context = Context(tokens)
    found = [hit for index in indices for hit in _Walk(tokens, index, context).hits()]
    # What another year rules out in one index may be named in another, so it comes last.
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

    def hits(self) -> Iterator[tuple[int, int, Hit | None]]:
        """First and last word and what they name; None where another year rules out the words."""
        words, paths = self._tokens.words, self._index.paths
        for first, word in enumerate(words):
            if word in paths:
                yield from self._along(word, first, first + 1, slips=0)
            for known in self._index.similar(word):
                yield from self._along(known, first, first + 1, slips=1)

    def _along(
        self, path: str, first: int, last: int, *, slips: int
    ) -> Iterator[tuple[int, int, Hit | None]]:
        words, paths = self._tokens.words, self._index.paths
        while True:
            entry = paths.get(path)
            if entry is None and path.endswith("s") and self._tokens.possessive(last - 1):
                entry = paths.get(path[:-1])
                if entry is not None and entry.weight is Weight.FUNCTION:
                    entry = None  # "it's" is no possessive of a film
            if entry is not None and _forgivable(entry, slips, last - first):
                yield from self._accept(entry, first, last, slips)
            if last == len(words) or path not in paths:
                return
            if not slips:
                for known in self._index.similar(words[last]):
                    longer = f"{path} {known}"
                    if longer in paths:
                        yield from self._along(longer, first, last + 1, slips=1)
            path = f"{path} {words[last]}"
            if path not in paths and not path.endswith("s"):
                return
            last += 1

    def _accept(
        self, entry: Entry, first: int, last: int, slips: int
    ) -> Iterator[tuple[int, int, Hit | None]]:
        tokens = self._tokens
        start, end = tokens.starts[first], tokens.ends[last - 1]
        article = tokens.words[first - 1] if first and tokens.words[first - 1] in ARTICLES else None
        if article is not None and any(named.article == article for named in entry.named):
            start = tokens.starts[first - 1]
        named = entry.named
        year = _BRACKETED_YEAR.match(tokens.text, end)
        if year is not None:
            named = [one for one in named if one.year is None or one.year == int(year[1])]
            if not named:
                yield first, last, None
                return
            end = year.end()
        else:
            bare = _BARE_YEAR.match(tokens.text, end)
            dated = [one for one in named if bare is not None and one.year == int(bare[1])]
            if bare is not None and dated:
                named, end = dated, bare.end()
            elif not self._meant(entry, first, last, start, slips) or _NUMBERED.match(tokens.text, end):
                return
        best = min(named, key=lambda one: (one.article != article, _standing(one.item)))
        yield first, last, Hit(start, end, best.item)

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


def _shortened(word: str) -> set[str]:
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}
