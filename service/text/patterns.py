"""Patterns and word lists as data: a TOML file stands beside the modules that use it."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from heapq import heapify, heappop, heapreplace
from importlib import import_module
from importlib.resources import files
from typing import Any

from ahocorasick_rs import AhoCorasick, Implementation

#: For each pattern so many sets of letters are looked for, of each of which a text must hold some.
DEMANDS = 3
#: Letters from which on they are looked for in one pass, instead of one by one.
MANY = 20
#: Characters of a text from which on each letters are looked for by themselves, instead of all places of all of them.
LONG = 2_000

Demands = Sequence[Collection[str]]

#: Patterns with one part of each kind, and what they demand: a parser that reads them otherwise is not relied on.
SAMPLES: dict[str, Demands] = {
    r"\b(?:i |we )?want(?:ed)? to\b": ({"want"}, {" to"}),
    r"(?:good|nice) (?:one|pick)": ({"good", "nice"}, {"one", "pick"}),
    r"(?<!not )no(?! longer)(?=\w)": ({"no"},),
    r"of {1,2}[.?](?:\s|\Z)": ({"of "}, {" .", " ?"}),
    r"(?:very )+?(?P<what>fine) [^a]": ({"very "}, {"fine"}),
    r"x{3}[a-z]y*(?i:Ab)?+(?:c|)": ({"xxx"},),
    r"(?:film|\d+)|\w": (),
}


class Glance:
    """Tells which patterns a text can hold, by what each demands (`demands_of`), for all patterns in one pass."""

    def __init__(self, demands: Sequence[Demands]) -> None:
        self._count = len(demands)
        self._alone = tuple(tuple(letters) for letters in demands[0]) if demands else ()
        #: Bit by bit what a text meets without any letters: demands that a pattern has not.
        self._given = 0
        meets: dict[str, int] = {}
        for place, demanded in enumerate(demands):
            for number in range(DEMANDS):
                bit = 1 << (number * self._count + place)
                letters = demanded[number] if number < len(demanded) else ()
                self._given |= 0 if letters else bit
                for some in letters:
                    meets[some] = meets.get(some, 0) | bit
        self._letters = (*meets.items(),)
        self._meets = (*meets.values(),)
        self._many = len(meets) > MANY
        self._find = finding(meets)

    def possible(self, small: str) -> list[int]:
        """The places of the patterns that a text in small letters meets all demands of, in order."""
        met = self._given
        if self._count == 1:
            return [0] if _meets_all(self._alone, small) else []
        if self._many and len(small) < LONG:
            meets = self._meets
            for found, _, _ in self._find(small):
                met |= meets[found]
        else:
            for letters, meeting in self._letters:
                if letters in small:
                    met |= meeting
        met &= (met >> self._count) & (met >> 2 * self._count)
        places = []
        while met:
            lowest = met & -met
            places.append(lowest.bit_length() - 1)
            met ^= lowest
        return places


def _meets_all(demands: tuple[tuple[str, ...], ...], small: str) -> bool:
    """For one pattern alone. In loops, which take less time than `all` and `any`."""
    for letters in demands:
        for some in letters:
            if some in small:
                break
        else:
            return False
    return True


def finding(some: Iterable[str]) -> Callable[[str], list[tuple[int, int, int]]]:
    """Finds all places of some letters in a text, overlapping ones too: which they are, their start and end."""
    find = AhoCorasick(
        some, implementation=Implementation.ContiguousNFA, store_patterns=False
    ).find_matches_as_indexes

    def found(text: str) -> list[tuple[int, int, int]]:
        try:
            return find(text, True)
        except UnicodeEncodeError:  # half of a sign that takes two, of which none is looked for
            return find(text.encode("utf-8", "replace").decode(), True)

    return found


def demands_of(pattern: str) -> Demands:
    """Sets of letters, of each of which a text must hold some for the pattern to match, the most telling first; none where
    nothing is known, so that plain `re` decides alone."""
    try:
        return reader()(pattern)[:DEMANDS]
    except re.error:
        raise
    except Exception:  # noqa: BLE001 - Python promises nothing about what is read, so neither about how it fails
        return ()


@cache
def reader() -> Callable[[str], Demands]:
    """Return what tells the demands of a pattern: `demands.read` where this Python's parser is as it
    expects, else `unknown`."""
    try:
        read: Callable[[str], Demands] = import_module(".demands", __package__).read
        as_expected = all(read(pattern) == list(demands) for pattern, demands in SAMPLES.items())
    except Exception:  # noqa: BLE001 - as above
        return unknown
    return read if as_expected else unknown


def unknown(_: str) -> Demands:
    """No demands: any text may hold a match."""
    return ()


#: Any letter, of whatever alphabet.
LETTER = r"[^\W\d_]"


def in_small_letters(text: str) -> str:
    """The text in small letters, each where it stood: of all letters this one alone becomes two when small."""
    return text.replace("\u0130", "i").lower()


class Finder:
    """Alternatives that ignore case; of two that match at one place the earlier counts. Small letters are
    looked for in small letters, which takes less time than ignoring case: so matches tell where
    something stands, and not how it is written there, nor, of several, by which group. An alternative is looked for
    only where the text holds the letters that it cannot match without."""

    def __init__(self, *alternatives: str) -> None:
        self.pattern = "|".join(f"(?:{alternative})" for alternative in alternatives)
        self.alternatives = alternatives

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        small = in_small_letters(text)
        first = None
        for alternative in self._possible(small):
            found = alternative.search(text, small)
            if found and (first is None or found.start() < first.start()):
                first = found
        return first

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, none overlapping another."""
        small = in_small_letters(text)
        possible = self._possible(small)
        return _merged(possible, text, small) if possible else iter(())

    def _possible(self, small: str) -> list["_Alternative"]:
        """Those that a text in small letters has what a match needs for."""
        return [self.parts[place] for place in self._glance.possible(small)]

    def sub(self, instead: str, text: str) -> str:
        """The text with `instead` for all matches, the rest as it is written."""
        pieces, reached = [], 0
        for match in self.finditer(text):
            pieces += [text[reached : match.start()], instead]
            reached = match.end()
        return "".join([*pieces, text[reached:]])

    @cached_property
    def parts(self) -> tuple["_Alternative", ...]:
        """Each by itself."""
        return tuple(map(_Alternative, self.alternatives))

    @cached_property
    def _glance(self) -> Glance:
        return Glance([part.demands for part in self.parts])


class Finders:
    """Many lists of alternatives, looked for in one text at once: which of them it can hold at all is told by the
    letters that stand side by side in it, for all lists together."""

    def __init__(self, *finders: Finder) -> None:
        self._finders = finders

    def search(self, text: str) -> list[re.Match[str] | None]:
        """The first match of each."""
        small = in_small_letters(text)
        first: list[re.Match[str] | None] = [None] * len(self._finders)
        for place in self._glance.possible(small):
            owner, alternative = self._all[place]
            found, known = alternative.search(text, small), first[owner]
            if found and (known is None or found.start() < known.start()):
                first[owner] = found
        return first

    def finditer(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """All matches of each, none overlapping another of the same, with the place of the one that they are of."""
        small = in_small_letters(text)
        possible: dict[int, list[_Alternative]] = {}
        for place in self._glance.possible(small):
            owner, alternative = self._all[place]
            possible.setdefault(owner, []).append(alternative)
        for owner, alternatives in possible.items():
            yield from ((owner, match) for match in _merged(alternatives, text, small))

    @cached_property
    def _all(self) -> list[tuple[int, "_Alternative"]]:
        return [(owner, part) for owner, finder in enumerate(self._finders) for part in finder.parts]

    @cached_property
    def _glance(self) -> Glance:
        return Glance([part.demands for _, part in self._all])


class _Alternative:
    """One of them, compiled when it is first looked for."""

    def __init__(self, written: str) -> None:
        self._minds_case = "(?-i:" in written
        self._flags = re.MULTILINE | (re.IGNORECASE if self._minds_case else 0)
        self._written = written if self._minds_case else _small(written)
        self.demands = demands_of(self._written)

    def search(self, text: str, small: str, start: int = 0) -> re.Match[str] | None:
        """The first match from `start`."""
        read = text if self._minds_case else small
        return (self._plain if read.isascii() else self._any).search(read, start)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self._written, self._flags)

    @cached_property
    def _plain(self) -> re.Pattern[str]:
        """For texts that are all ASCII, in which letters are told from other signs in less time."""
        return re.compile(self._written.replace(LETTER, "[a-zA-Z]"), self._flags | re.ASCII)


def _merged(possible: list[_Alternative], text: str, small: str) -> Iterator[re.Match[str]]:
    """The matches of all alternatives as one pattern of them would find them."""
    found: list[tuple[int, int, re.Match[str]]] = []
    for order, alternative in enumerate(possible):
        if match := alternative.search(text, small):
            found.append((match.start(), order, match))
    heapify(found)
    reached = 0
    while found:
        start, order, match = found[0]
        if start >= reached:
            yield match
            reached = max(match.end(), start + 1)
        # Behind the end a pattern without width would find the end again, for ever.
        if reached <= len(text) and (following := possible[order].search(text, small, reached)):
            heapreplace(found, (following.start(), order, following))
        else:
            heappop(found)


def _small(pattern: str) -> str:
    """The pattern with its letters small, classes such as `\\W` and the names of groups left alone."""
    return re.sub(r"(\\.|\(\?P[<=]\w+)|([^\W\d_])", lambda found: found[1] or found[2].lower(), pattern)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Patterns and words of `<name>.toml` beside the modules of `package`, read and compiled at first use."""

    package: str
    name: str

    @property
    def source(self) -> str:
        """The text of the file: an evaluator's revision covers it."""
        return _source(self)

    @property
    def tables(self) -> Mapping[str, Any]:
        """The tables of the file."""
        return _tables(self)

    def finder(self, *path: str) -> Finder:
        """Return the alternatives listed at a path as one pattern that ignores case. `{name}` in an alternative is replaced by
        the entry of that name, or one of its list, in the file's table `parts`. Entries may name later ones; `(?-i:...)` minds
        case."""
        return _finder(self, path)

    def words(self, *path: str) -> frozenset[str]:
        """Return the words listed at a path, in one string or in several."""
        return _words(self, path)


@cache
def _source(lexicon: Lexicon) -> str:
    return (files(lexicon.package) / f"{lexicon.name}.toml").read_text(encoding="utf-8")


@cache
def _tables(lexicon: Lexicon) -> dict[str, Any]:
    return tomllib.loads(_source(lexicon))


def _at(lexicon: Lexicon, path: Sequence[str]) -> Any:
    found: Any = _tables(lexicon)
    for key in path:
        found = found[key]
    return found


@cache
def _finder(lexicon: Lexicon, path: tuple[str, ...]) -> Finder:
    alternatives = list(_at(lexicon, path))
    for part, listed in _tables(lexicon).get("parts", {}).items():
        alternatives = [
            one.replace("{" + part + "}", f"(?:{listed if isinstance(listed, str) else '|'.join(listed)})")
            for one in alternatives
        ]
    return Finder(*alternatives)


@cache
def _words(lexicon: Lexicon, path: tuple[str, ...]) -> frozenset[str]:
    found = _at(lexicon, path)
    return frozenset((found if isinstance(found, str) else " ".join(found)).split())


class Stems:
    """Beginnings of words, and signs, of which a text in small letters may hold one."""

    def __init__(self, *stems: str) -> None:
        found = sorted({stem.strip() if stem[0] == " " else stem for stem in stems})
        #: By the place of each whether it may stand within a word.
        self._anywhere = tuple(not stem[:1].isalnum() for stem in found)
        self._find = finding(found)

    def in_any(self, small: str) -> bool:
        """Return whether a text in small letters holds one."""
        for found, start, _ in self._find(small):
            before = small[start - 1] if start else " "
            if self._anywhere[found] or not (before.isalnum() or before == "_"):
                return True
        return False
