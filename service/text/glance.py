"""Decide at a glance which of many patterns a text can hold, by the letters that they cannot match
without."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from importlib import import_module

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
