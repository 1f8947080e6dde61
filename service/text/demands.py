"""The letters that a pattern cannot match without, read from the parse that Python's own compiler makes of it.

That parser has no public name and no promise: `glance` checks what is read here before it relies on it."""

import re
from collections.abc import Iterable
from importlib import import_module
from itertools import product
from typing import Any

_parser, _constants = import_module("re._parser"), import_module("re._constants")
_WIDTHLESS = frozenset({_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT})
_REPEATS = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT})
#: Letters that a set beyond the first may have: more are found in most texts.
FEW = 30
#: Runs of letters that one part of a pattern may stand for; signs of which it has any are tried with all before them.
MOST_RUNS = 8
_NOTHING = frozenset({""})


def read(pattern: str) -> list[set[str]]:
    """Sets of letters, of each of which a text must hold some for the pattern to match, the most telling first; none where
    nothing is known."""
    parsed = _parser.parse(pattern, re.MULTILINE | re.IGNORECASE)
    first, *others = [*sorted(_candidates(parsed), key=_telling, reverse=True), frozenset[str]()]
    telling = [some for some in others if len(some) <= FEW and min(map(len, some), default=0) > 1]
    return [{letters.lower() for letters in some} for some in (first, *telling) if some]


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
