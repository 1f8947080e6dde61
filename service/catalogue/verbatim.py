"""Titles that a log itself writes down, found in its texts word for word."""

import re
from array import array
from collections.abc import Iterable, Iterator

from ..text.normalise import Tokens, split_year, tokenise
from .everyday import Weight, is_telling, weigh
from .index import MAX_WORDS, marked
from .titles import ARTICLES, YEAR_MARK, Guess

#: Letters from which on a title of one word is told by its capital alone.
_TELLING = 4


class Verbatim:
    """Titles by their words, as lists and items spell them; years and leading articles may be missing in a text.

    A title of several words counts wherever it stands with a capital, or letter by letter. One of a single word, or of
    function words alone, must be capitalised for another reason than heading a sentence, unless it is all that is said."""

    def __init__(self, titles: Iterable[str]) -> None:
        self._titles: dict[str, str] = {}
        beginnings = array("q")
        for title in titles:
            words = tokenise(split_year(title)[0]).words
            if len(words) > 1 and words[0] in ARTICLES:
                words = words[1:]
            if words and len(words) <= MAX_WORDS:
                path = words[0]
                for word in words[1:]:
                    beginnings.append(hash(path))
                    path = f"{path} {word}"
                self._titles.setdefault(path, title)
        # As in an index: of the beginnings no more is kept than where their hashes point to.
        self._mask, self._begun = marked(beginnings)

    def find(self, text: str) -> Iterator[tuple[Guess, str]]:
        """Places of titles, left to right, the longest at each, with the title as it was given."""
        tokens = tokenise(text) if self._titles else None
        first = 0
        while tokens is not None and first < len(tokens):
            last, title = self._longest(tokens, first)
            if title is not None and self._meant(tokens, first, last, title):
                start, end = _start(tokens, first, title), tokens.ends[last - 1]
                yield Guess(start, end, text[start:end]), title
                first = last
            else:
                first += 1

    def _longest(self, tokens: Tokens, first: int) -> tuple[int, str | None]:
        path, end, found = tokens.words[first], first, None
        for last in range(first + 1, min(len(tokens), first + MAX_WORDS) + 1):
            if (title := self._titles.get(path)) is not None:
                end, found = last, title
            elif not self._begun[hash(path) & self._mask]:
                break
            if last < len(tokens):
                path = f"{path} {tokens.words[last]}"
        return end, found

    def _meant(self, tokens: Tokens, first: int, last: int, title: str) -> bool:
        text, start, end = tokens.text, tokens.starts[first], tokens.ends[last - 1]
        surface, words = text[start:end], tokens.words[first:last]
        said = YEAR_MARK.match(text, end)
        another_year = said and split_year(title)[1] not in (None, int(said[1]))
        follows = last < len(tokens) and tokens.gap(last) == " "
        if another_year or (follows and tokens.words[last].isdigit() and not said):
            return False  # "Heat 2" does not name Heat
        if len(words) > 1 and weigh(words) is not Weight.FUNCTION:
            return any(map(str.isupper, surface)) or surface in title
        if surface not in title or (len(words) == 1 and not is_telling(words[0])) or len(surface) < _TELLING:
            return False
        return all(_capital(tokens, i) for i in range(first, last)) and (
            text.strip(" .!?,") == surface
            or (
                re.fullmatch(r"[\w,;:'] ", text[max(0, start - 2) : start]) is not None
                and not (follows and _capital(tokens, last))
                and not (
                    tokens.gap(first) == " "
                    and _capital(tokens, first - 1)
                    and is_telling(tokens.words[first - 1])
                )
            )
        )


def _capital(tokens: Tokens, index: int) -> bool:
    return tokens.text[tokens.starts[index]].isupper()


def _start(tokens: Tokens, first: int, title: str) -> int:
    """Return where a title begins, its own article included."""
    article = title.split(maxsplit=1)[0].casefold()
    own = (
        article in ARTICLES and first > 0 and tokens.words[first - 1] == article and tokens.gap(first) == " "
    )
    return tokens.starts[first - 1] if own else tokens.starts[first]
