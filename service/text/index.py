"""An index of titles by their words, and the search for them in a tokenised text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..domain.conversation import Item
from .evidence import Context, Weight, weigh
from .normalise import Tokens, split_year
from .titles import ARTICLES, has_article, spellings

# A longer title is not looked for in texts: it would let one item make every search slow.
MAX_WORDS = 30

_YEAR_AFTER = re.compile(r"\s*[(\[]\s*((?:18|19|20)\d\d)\s*[)\]]")


@dataclass(frozen=True, slots=True)
class Hit:
    """An item and its place in the text."""

    start: int
    end: int
    item: Item


@dataclass(slots=True)
class Entry:
    """The items that one spelling names, by year."""

    weight: Weight
    article: bool
    items: list[tuple[int | None, Item]] = field(default_factory=list)


class TitleIndex:
    """Spellings of titles, each under its words joined by spaces; every beginning of one is a
    key as well, so that a search stops at the first word that leads nowhere."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.paths: dict[str, Entry | None] = {}
        for item in items:
            _, year = split_year(item.title)
            article = has_article(item.title)
            for words in dict.fromkeys(spellings(item.title)):
                if len(words) <= MAX_WORDS:
                    self._add(words, year, item, article=article)

    def _add(self, words: tuple[str, ...], year: int | None, item: Item, *, article: bool) -> None:
        path = ""
        for word in words[:-1]:
            path = f"{path} {word}" if path else word
            self.paths.setdefault(path, None)
        path = f"{path} {words[-1]}" if path else words[-1]
        entry = self.paths.get(path)
        if entry is None:
            entry = self.paths[path] = Entry(weigh(words), article)
        entry.article = entry.article or article
        entry.items.append((year, item))


def choose(items: Iterable[Item]) -> Item | None:
    """Of items that a name fits equally, the best known, else the newest, else the first by title."""
    best = sorted(
        items, key=lambda item: (-(item.popularity or 0.0), -(split_year(item.title)[1] or 0), item.title)
    )
    return best[0] if best else None


def search(tokens: Tokens, indices: Sequence[TitleIndex]) -> list[Hit]:
    """Titles in a text, longest first where they overlap; an earlier index wins a tie."""
    context = Context(tokens)
    found: list[tuple[int, int, Hit]] = []
    for index in indices:
        for first in range(len(tokens)):
            found.extend(_starting_at(first, tokens, index, context))
    found.sort(key=lambda hit: (hit[0] - hit[1], hit[0]))
    taken = bytearray(len(tokens))
    hits = []
    for first, last, hit in found:
        if not any(taken[first:last]):
            taken[first:last] = b"\x01" * (last - first)
            hits.append(hit)
    return sorted(hits, key=lambda hit: hit.start)


def _starting_at(
    first: int, tokens: Tokens, index: TitleIndex, context: Context
) -> Iterable[tuple[int, int, Hit]]:
    path = tokens.words[first]
    last = first + 1
    while path in index.paths:
        entry = index.paths[path]
        if entry is not None:
            hit = _accept(entry, first, last, tokens, context)
            if hit is not None:
                yield first, last, hit
        if last == len(tokens):
            break
        path = f"{path} {tokens.words[last]}"
        last += 1


def _accept(entry: Entry, first: int, last: int, tokens: Tokens, context: Context) -> Hit | None:
    start, end = tokens.starts[first], tokens.ends[last - 1]
    if entry.article and first and tokens.words[first - 1] in ARTICLES:
        start = tokens.starts[first - 1]
    year = _YEAR_AFTER.match(tokens.text, end)
    if year is not None:
        fitting = [item for known, item in entry.items if known is None or known == int(year[1])]
        end = year.end()
    else:
        if not context.supports(entry.weight, first, last):
            return None
        fitting = [item for _, item in entry.items]
    item = choose(fitting)
    return Hit(start, end, item) if item is not None else None
