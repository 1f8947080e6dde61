"""Which of many patterns a text can hold at all, told at a glance by the letters that they cannot match without."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib import import_module
from itertools import product
from typing import Any

from ahocorasick_rs import AhoCorasick, Implementation

# Python's own parser of patterns, which has no public name.
_parser, _constants = import_module("re._parser"), import_module("re._constants")
_WIDTHLESS = frozenset({_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT})
_REPEATS = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT})
#: For each pattern so many sets of letters are looked for, of each of which a text must hold some.
DEMANDS = 3
#: Letters that a set beyond the first may have: more are found in most texts.
FEW = 30
#: Letters from which on they are looked for in one pass, instead of one by one.
MANY = 20
#: Characters of a text from which on each letters are looked for by themselves, instead of all places of all of them.
LONG = 2_000

#: Runs of letters that one part of a pattern may stand for; signs of which it has any are tried with all before them.
MOST_RUNS = 8
_NOTHING = frozenset({""})

Demands = Sequence[Collection[str]]


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
    nothing is known."""
    parsed = _parser.parse(pattern, re.MULTILINE | re.IGNORECASE)
    first, *others = [*sorted(_candidates(parsed), key=_telling, reverse=True), frozenset[str]()]
    telling = [some for some in others if len(some) <= FEW and min(map(len, some), default=0) > 1]
    return [{letters.lower() for letters in some} for some in (first, *telling)[:DEMANDS] if some]


def _needed(sequence: Iterable[tuple[Any, Any]]) -> frozenset[str]:
    """Of the parts of a sequence, each of which must match, the one with the most telling letters."""
    return max(_candidates(sequence), key=_telling, default=frozenset())


def _candidates(sequence: Iterable[tuple[Any, Any]]) -> list[frozenset[str]]:
    """For each part of a sequence of which that is known the letters of which it needs some."""
    candidates: list[frozenset[str]] = []
    run = _NOTHING  # what may stand here without a gap
    for kind, value in sequence:
        if kind in _WIDTHLESS:
            continue
        signs, repeated = _signs(kind, value)
        if signs and len(run) * len(signs) <= MOST_RUNS:
            run = frozenset(map("".join, product(run, signs)))
            if not repeated:
                continue
        candidates.append(run)
        if not signs:
            candidates.append(_needed_within(kind, value))
        run = signs or _NOTHING
    candidates.append(run)
    return [some for some in candidates if some and "" not in some]


def _signs(kind: object, value: Any) -> tuple[frozenset[str], bool]:
    """The few signs of which a part is one, or so many of one as it has at least, and whether more may follow; none where
    it is something else."""
    if kind is _constants.LITERAL:
        return frozenset({chr(value)}), False
    if kind is _constants.IN and all(one is _constants.LITERAL for one, _ in value):
        return frozenset(chr(sign) for _, sign in value), False
    if kind in _REPEATS and value[0] > 0 and [one for one, _ in value[2]] == [_constants.LITERAL]:
        return frozenset({chr(value[2][0][1]) * value[0]}), value[0] != value[1]
    return frozenset(), False


def _needed_within(kind: object, value: Any) -> frozenset[str]:
    if kind is _constants.BRANCH:
        each = [_needed(branch) for branch in value[1]]
        return frozenset().union(*each) if all(each) else frozenset()
    if kind is _constants.SUBPATTERN or (kind in _REPEATS and value[0] > 0):
        return _needed(value[-1])
    return frozenset()


def _telling(letters: frozenset[str]) -> tuple[bool, float]:
    """Few and long ones tell most, single ones next to nothing."""
    shortest = min(map(len, letters), default=0)
    return shortest > 1, shortest - len(letters) / 4
