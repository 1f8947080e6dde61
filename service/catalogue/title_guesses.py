"""Titles in a text without a catalogue to know them from: those that the text itself marks as such, and those that its log writes
down word for word."""

import re
from array import array
from bisect import bisect_right as bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..text.patterns import Finder
from ..text.words import Tokens, everydayness, is_given_name, is_telling, split_year, tokenise
from .titles import ARTICLES, MAX_WORDS, Weight, weigh

YEAR_MARK = re.compile(r"\s{0,3}[(\[]((?:18|19|20)\d\d)[)\]]")
"""A year in brackets behind a title."""

_MOST_WORDS = 12
_ENCLOSED = re.compile(
    r"(?<!=)\"([^\"\n]{1,80})\"|\u201c([^\u201c\u201d\n]{1,80})\u201d|\u00ab([^\u00ab\u00bb\n]{1,80})\u00bb"
    r"|(?<![\w*])\*{1,2}([^*\n]{2,80})\*{1,2}(?!\w)|(?<!\w)_([^_\n]{2,80})_(?!\w)"
)
_MARK = re.compile('["\u201c\u00ab*_]')
"""Without any of these nothing is enclosed."""
_LIST_MARK = re.compile(r"^[ \t]{0,8}(?:[-*\u2022]|\d{1,3}[.:)])[ \t]{1,4}", re.MULTILINE)
_TO_ITEM = r"[ ]{1,2}(?:(?:the|a) (?:movie|film|show|book|novel|song|album|restaurant|place|game) |(?:an episode|the (?:first|latest|new) season) of )?"
_OFFER = Finder(
    *(
        rf"\b(?:{words}){_TO_ITEM}"
        for words in (
            "(?:how|what) about",
            "seen|watched|tried|played",
            "have you (?:ever )?(?:read|heard)",
            "recommend(?:ing)?",
            "suggest(?:ing)?",
            "(?:check|checked) out",
            "listen(?:ed|ing)? to",
            "called|titled|entitled",
            "there(?:'s| is)",
            "(?:might|may|could|should|would|will|'ll|to) (?:(?:also|really) )?(?:like|love|enjoy|try|watch|read|visit|consider|book)",
            "(?:could|might|should|can) (?:get|buy|order)",
            "have you (?:ever )?(?:considered|thought (?:about|of))",
            "(?:start|begin) with",
            "(?:have|take) a look at",
            "(?:choice|option|pick|alternative|suggestion|recommendation) (?:is|would be|could be|might be)",
            "(?:movies?|films?|shows?|books?|novels?|songs?|albums?|restaurants?|places?|games?) (?:like|such as)",
            "try|watch",
            "(?:go|going|went) (?:for|with)",
            "(?:point|steer|direct) you (?:to|towards?)",
            "my (?:top )?(?:pick|suggestion|recommendation|choice)(?: for you| tonight)? (?:is|would be)",
            "(?:comes|springs) to mind is",
            "what you (?:want|need) is",
            "i(?:'d| would) (?:choose|pick|say|watch)",
            "consider|add(?:ed|ing)?",
            "(?:tips?|ideas?|suggestions?|picks?|recommendations?|thing)(?: for you)?:",
        )
    )
)
#: Words that may follow a name behind an article without going on with it.
_FOLLOWS = frozenset(
    "and or for if but then by at in on with too instead next tonight today as which that it".split()  # noqa: SIM905
)
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)$")
_KINDS = re.compile(
    r"[ ](?:movies?|films?|shows?|series|books?|novels?|songs?|albums?|music|food|restaurants?|cuisine|places?|games?|fans?)\b"
)
_OPENERS = frozenset(
    "yes no ok okay try watch maybe also and or but so well like have how what perhaps check see sure then hi hello".split()  # noqa: SIM905
)
_WITHIN = frozenset("of the and a an in to for with on from at by de la le del du & vs".split())  # noqa: SIM905
_SELF = frozenset({"i", "im", "ive", "id", "ill"})
_JOINTS = frozenset({"and", "or"})
# "Delta Road and Omega Wind are great", but "Ada Moss and Jim Lind are great directors".
_PRAISED_BOTH = re.compile(
    r" (?:(?:are|were) (?:both |all |also )?(?!(?:[a-z]{1,20} )?(?:actors|actresses|directors|singers|writers|authors|stars|genres|names|brands|people)\b)|both [a-z]|(?:would|might|could|should) both )"
)
_SHORT_FORMS = frozenset({"mr", "mrs", "ms", "dr", "st", "vs", "jr", "vol", "no"})


@dataclass(frozen=True, slots=True)
class Guess:
    """A title that a text marks as one: `text[start:end] == surface`."""

    start: int
    end: int
    surface: str


def guess_titles(text: str) -> list[Guess]:
    """Titles that the text itself marks, left to right and apart from one another, for logs
    without a catalogue and of any domain: a name before a year in brackets, a quoted or emphasised name, a name that heads a line
    of a list. Also a capitalised name behind a phrase that offers something ("how about", "have you seen the"), and two such
    names that are praised together. Names that "and" or "or" join are separated. Doubtful names are left out."""
    taken = bytearray(len(text))
    guesses = []
    for found in (_dated(text), _enclosed(text), _listed(text), _offered(text), _coordinated(text)):
        for start, end in found:
            if not any(taken[start:end]):
                taken[start:end] = b"\x01" * (end - start)
                guesses.append(Guess(start, end, text[start:end]))
    return sorted(guesses, key=lambda guess: guess.start)


def _dated(text: str) -> Iterator[tuple[int, int]]:
    for mark in YEAR_MARK.finditer(text) if "(" in text or "[" in text else ():
        tokens = tokenise(text)
        last = bisect(tokens.ends, mark.start())
        first = _run_back(tokens, last)
        if first < last:
            parts = _row(tokens, first, last)
            yield from ((tokens.starts[start], tokens.ends[end - 1]) for start, end in parts[:-1])
            yield tokens.starts[parts[-1][0]], mark.start()


def _enclosed(text: str) -> Iterator[tuple[int, int]]:
    if not _MARK.search(text):
        return
    for found in _ENCLOSED.finditer(text):
        group = found.lastindex or 0
        name = found[group]
        inner = name.strip(" ,.")
        start = found.start(group) + name.index(inner) if inner else 0
        words = inner.split()
        if words and len(words) <= _MOST_WORDS and _named_like(inner):
            yield start, start + len(inner)


def _listed(text: str) -> Iterator[tuple[int, int]]:
    for mark in _LIST_MARK.finditer(text):
        tokens = tokenise(text)
        first = bisect(tokens.starts, mark.end() - 1)
        last = _run(tokens, first)
        if last - first > 1 and _opens_next(tokens, last - 1, mark.group()):
            yield tokens.starts[first], tokens.ends[last - 2]
        elif first < last and _ends_name(tokens, last) and not _plain(tokens, first, last):
            yield tokens.starts[first], tokens.ends[last - 1]


def _opens_next(tokens: Tokens, index: int, mark: str) -> bool:
    """Return whether a word is the number of a list's next entry: "1) One 2) Two"."""
    number = mark.strip(" \t.:)")
    behind = tokens.text[tokens.ends[index] : tokens.ends[index] + 1]
    return number.isdigit() and tokens.words[index] == str(int(number) + 1) and behind in {".", ":", ")"}


def _offered(text: str) -> Iterator[tuple[int, int]]:
    for offer in _OFFER.finditer(text):
        tokens = tokenise(text)
        first = bisect(tokens.starts, offer.end() - 1)
        while first < len(tokens):
            bare = _past_article(tokens, first)
            last = _run(tokens, bare)
            if last == bare or _plain(tokens, bare, last) or _KINDS.match(tokens.text, tokens.ends[last - 1]):
                break
            if bare > first and not _called(tokens, bare, last):
                break
            for start, end in _parts(tokens, bare, last):
                yield tokens.starts[start], tokens.ends[end - 1]
            first = last
            between = tokens.gap(first)
            if first < len(tokens) and tokens.words[first] in _JOINTS and between in {" ", ", "}:
                first += 1
            elif between != ", ":
                break


def _coordinated(text: str) -> Iterator[tuple[int, int]]:
    for praise in _PRAISED_BOTH.finditer(text):
        tokens = tokenise(text)
        last = bisect(tokens.ends, praise.start())
        if not last or tokens.ends[last - 1] != praise.start():
            continue
        first = _run_back(tokens, last)
        parts = _row(tokens, first, last) if first < last else []
        if len(parts) > 1 and all(_whole_name(tokens, *part) for part in parts):
            yield from ((tokens.starts[start], tokens.ends[end - 1]) for start, end in parts)


def _past_article(tokens: Tokens, first: int) -> int:
    """The word behind an article in small letters; the word itself where it is none."""
    an_article = tokens.words[first] in ARTICLES and not _heads(tokens, first)
    return first + 1 if an_article and first + 1 < len(tokens) and tokens.gap(first + 1) == " " else first


def _called(tokens: Tokens, first: int, last: int) -> bool:
    """Return whether a name behind an article is that of a thing: "the Sony WH-1000XM5", but neither "the Sony headphones", "the
    Jim Carrey one" nor "an American Airlines flight"."""
    words = tokens.words[first:last]
    numbered = any(letter.isdigit() for word in words for letter in word)
    if is_given_name(words[0]) or _ORDINAL.match(words[0]) or not (numbered or any(map(is_telling, words))):
        return False
    goes_on = last < len(tokens) and tokens.gap(last) == " " and tokens.words[last] not in _FOLLOWS
    return not goes_on or (last - first > 1 and (numbered or tokens.words[first - 1] == "the"))


def _parts(tokens: Tokens, first: int, last: int) -> list[tuple[int, int]]:
    """The names that a run of words is made of: "Delta Road and Omega Wind" are two, "Pride and Lanterns" is one, and so is
    what stands in quotation marks."""
    start = tokens.starts[first]
    if ":" in tokens.text[start : tokens.ends[last - 1]] or _MARK.match(
        tokens.text[max(0, start - 1) : start]
    ):
        return [(first, last)]
    for joint in range(first + 2, last - 2):
        if tokens.text[tokens.starts[joint] : tokens.ends[joint]] == "and":
            before, after = (first, joint), (joint + 1, last)
            if _whole_name(tokens, *before) and _whole_name(tokens, *after):
                return [before, *_parts(tokens, *after)]
    return [(first, last)]


def _row(tokens: Tokens, first: int, last: int) -> list[tuple[int, int]]:
    """The names of a run of words, and those that "and" or "or", and commas before, join to it: "Blue Kite, Delta Road or
    Omega Wind (1999)"."""
    row = _parts(tokens, first, last)
    joined = first > 2 and tokens.words[first - 1] in _JOINTS and tokens.gap(first) == " "
    end = first - 1 if joined else first
    while (joined and tokens.gap(end) == " ") or ((joined or len(row) > 1) and tokens.gap(end) == ", "):
        start = _run_back(tokens, end)
        before = _parts(tokens, start, end) if start < end else []
        if not before or not all(_whole_name(tokens, *part) for part in before):
            break
        row, joined, end = before + row, False, start
    return row


def _whole_name(tokens: Tokens, first: int, last: int) -> bool:
    """Return whether words are surely a name of their own, and no person's: two capitalised ones or more, the first no function
    word but an article, one of them telling."""
    opener = tokens.words[first]
    if (
        not _heads(tokens, first)
        or is_given_name(opener)
        or (everydayness(opener) == 1 and opener not in ARTICLES)
    ):
        return False
    heads = [tokens.words[index] for index in range(first, last) if _heads(tokens, index)]
    return len(heads) > 1 and any(map(is_telling, heads))


def _run(tokens: Tokens, first: int) -> int:
    """The end of the capitalised name that starts at a word; the word itself if none does."""
    last = first
    while last < len(tokens) and last - first < _MOST_WORDS:
        ahead = last
        while last > first and ahead < min(len(tokens) - 1, last + 3) and _joins(tokens, ahead):
            ahead += 1
        if not _heads(tokens, ahead) or (last > first and not _close(tokens, ahead)):
            break
        joint, word = tokens.words[ahead - 1], tokens.words[ahead] if ahead < len(tokens) else ""
        if ahead > last and ((joint == "and" and word in ARTICLES) or (joint == "by" and is_telling(word))):
            break  # another title, or whose work it is: "Blue by Ann Lee", but "Led by Me"
        last = ahead + 1
    return last


def _run_back(tokens: Tokens, last: int) -> int:
    first = last
    while first and last - first < _MOST_WORDS and (first == last or _close(tokens, first)):
        if not (_heads(tokens, first - 1) or (first < last and tokens.words[first - 1] in _WITHIN)):
            break
        first -= 1
    while first < last and (
        not _heads(tokens, first)
        or (tokens.words[first] in _OPENERS and first + 1 < last and _heads(tokens, first + 1))
    ):
        first += 1
    return first


def _heads(tokens: Tokens, index: int) -> bool:
    start, end = tokens.starts[index], tokens.ends[index]
    letter = tokens.text[start]
    brand = not letter.isupper() and end - start > 2 and tokens.text[start + 1].isupper()  # "iPhone"
    return (letter.isupper() or letter.isdigit() or brand) and tokens.words[index] not in _SELF


def _joins(tokens: Tokens, index: int) -> bool:
    return tokens.words[index] in _WITHIN and not _heads(tokens, index) and tokens.gap(index) == " "


def _close(tokens: Tokens, index: int) -> bool:
    gap = tokens.gap(index)
    return gap in {" ", "-", ": ", "\u00b7"} or (gap == ". " and tokens.words[index - 1] in _SHORT_FORMS)


def _ends_name(tokens: Tokens, last: int) -> bool:
    return last == len(tokens) or bool(tokens.gap(last)[:2].strip(" ")) or "\n" in tokens.gap(last)


def _plain(tokens: Tokens, first: int, last: int) -> bool:
    """Return whether the words are such that capitals alone make no name of them."""
    words = tokens.words[first:last]
    return not is_telling(words[0]) if len(words) == 1 else all(everydayness(word) == 1 for word in words)


def _named_like(name: str) -> bool:
    words = tokenise(name)
    weighty = [i for i in range(len(words)) if words.words[i] not in _WITHIN]
    return bool(weighty) and all(_heads(words, i) or words.words[i] in _SELF for i in weighty)


def marked(hashes: "array[int]") -> tuple[int, bytes]:
    """A mask, and a table that holds a one wherever one of the hashes, masked, points to."""
    size = 1 << ((8 * len(hashes)) or 1).bit_length() - 1
    table = np.zeros(size, np.uint8)
    if hashes:
        table[np.frombuffer(hashes, np.int64) & (size - 1)] = 1
    return size - 1, table.tobytes()


#: Least letters of a one-word title that its capital alone identifies.
_TELLING = 4


class Verbatim:
    """Titles by their words, as lists and items spell them; years and leading articles may be missing in a text.

    A title of several words counts wherever it stands with a capital, or letter by letter. One of a single word, or of function
    words alone, must be capitalised for another reason than heading a sentence. An exception is one that is all that is said."""

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
        year = split_year(title)[1]
        if said and year == int(said[1]):
            return True  # "It (2017)"
        another_year = said and year is not None
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
