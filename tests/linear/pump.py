"""Feeds patterns the texts that make a backtracking matcher slow, and measures how its time grows.

Needs the standard library alone, so that any Python can be asked: `python pump.py < patterns.json`. The input lists
`[file, name, pattern, flags]`; the output lists `[name, pattern, start of a text]` for what grows faster than its text."""

import json
import random
import re
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any

# Python's own parser of patterns, which has no public name.
_parser, _constants = import_module("re._parser"), import_module("re._constants")
_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
_LOOKS = {_constants.ASSERT, _constants.ASSERT_NOT}
_CLASSES = {_constants.IN, _constants.ANY, _constants.NOT_LITERAL}
SMALL, LARGE = 4_000, 16_000
#: A repeat that may go on for so long is pumped.
LONG_REPEAT = 20
#: Seconds for the small text, and for the large one, under which a pattern is linear: a quadratic one takes far longer.
AT_ONCE, QUICK = 0.001, 0.03
#: The large text may take so many times as long as four small ones; a quadratic pattern takes four times.
GROWTH = 2.0
#: Seconds that no text of this size may take, however its time grows.
MOST = 0.5
#: Characters tried for a class, besides those that the pattern names itself.
COMMON = ' a1\n.("-_A,<\u00e9'
#: Texts tried on a pattern, texts made of all patterns of a file, and pieces that these are made of.
MOST_TEXTS, SPLICES, MOST_PIECES = 600, 4, 400

Text = Callable[[int], str]


class OutOfTimeError(Exception):
    """The measured work took longer than it may."""


def slow(pattern: str, flags: int, texts: Sequence[Text]) -> str | None:
    """Return the start of the first text that takes more than linear time."""
    if not texts:
        return None
    compiled = re.compile(pattern, flags)

    def consume(text: str) -> None:
        for _ in compiled.finditer(text):
            pass

    return next((text(60) for text in texts if grows(consume, text)), None)


def grows(work: Callable[[str], object], text: Text, at_once: float = AT_ONCE, most: float = MOST) -> bool:
    """Return whether work on a text takes more than linear time. What takes next to none is let pass by
    any clock; what is left is measured in CPU time until one measurement clears it, so that a loaded
    machine fails nothing."""
    small = text(SMALL)
    began = time.perf_counter()
    seconds = _seconds(lambda: work(small), most)
    if seconds < QUICK and time.perf_counter() - began < at_once:
        return False
    if seconds > 2 * most:
        return True
    large = text(LARGE)
    for _ in range(4):
        long = _seconds(lambda: work(large), most)
        if long < QUICK:
            return False
        if long > 2 * most:
            return True
        if long < most and long < GROWTH * _seconds(
            lambda: [work(small) for _ in range(LARGE // SMALL)], most
        ):
            return False
    return True


def _seconds(work: Callable[[], object], most: float) -> float:
    """CPU time of some work, stopped after a little more than twice `most`."""
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, 2.5 * most)
    began = time.process_time()
    try:
        work()
        return time.process_time() - began
    except OutOfTimeError:
        return 3 * most
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _stop(*_: object) -> None:
    raise OutOfTimeError


def texts(pattern: str, flags: int, pieces: list[str]) -> list[Text]:
    """Return the texts, by their size, that pump each repeat and each alternative of a pattern; what they are made of is added
    to `pieces`."""
    parsed = _parser.parse(pattern, flags)
    literals = "".join(dict.fromkeys(_literals(parsed)))
    seed = ascii(pattern)  # the same in every run; a lone surrogate seeds nothing
    found: dict[tuple[str, str, str, str], None] = {}
    for choice in (None, random.Random(seed), random.Random(seed[::-1])):
        for before, unit, after in _repeats(parsed, "", "", _Sampler(literals, choice)):
            pieces += [before, unit, after]
            found.update((pump, None) for pump in _pumps(before, unit, after[:-1]) if pump[1])
    chosen = [*found]
    if len(chosen) > MOST_TEXTS:
        chosen = random.Random(seed).sample(chosen, MOST_TEXTS)
    return [*(pumped(*each) for each in chosen), *(splices(pieces, seed, 3) if found else ())]


def _pumps(before: str, unit: str, near: str) -> Iterator[tuple[str, str, str, str]]:
    """Start, round, second round and end: one long repeat, many starts, many starts before one long repeat."""
    yield "", unit, "", ""
    yield before, unit, "", near + "\x00"
    yield "", before + unit, "", near + "\x00"
    yield "", before + unit + near, "", ""
    yield "", before + unit, unit, near + "\x00"
    yield "", before + unit * 40 + near + "\x00", "", ""


def splices(pieces: Sequence[str], seed: str, count: int) -> Iterator[Text]:
    """Random runs of pieces, pumped."""
    rng = random.Random(seed)
    some = [piece for piece in pieces if piece]
    for length in islice((3, 7, 20, 60), count if some else 0):
        yield pumped("", "".join(rng.choice(some) for _ in range(length)), "", "")


def pumped(start: str, unit: str, then: str = "", end: str = "") -> Text:
    """A text of any size: a start, one unit over and over, in its second half another, an end."""

    def text(size: int) -> str:
        left = size - len(start) - len(end)
        half = left // 2 if then else left
        return start + unit * max(1, half // len(unit)) + (then * (half // len(then)) if then else "") + end

    return text


def _literals(sequence: Any) -> Iterator[str]:
    for kind, value in sequence:
        if kind in (_constants.LITERAL, _constants.NOT_LITERAL):
            yield chr(value)
        elif kind is _constants.IN:
            yield from _literals(part for part in value if part[0] is _constants.LITERAL)
        elif kind is _constants.BRANCH:
            for branch in value[1]:
                yield from _literals(branch)
        else:
            yield from _literals(inner(kind, value))


def inner(kind: object, value: Any) -> Any:
    """The sequence within a group, a repeat or a look around."""
    if kind is _constants.SUBPATTERN or kind in _REPEATS:
        return value[-1]
    if kind in _LOOKS:
        return value[1]
    return value if kind is _constants.ATOMIC_GROUP else ()


def _repeats(sequence: Any, before: str, after: str, sampler: "_Sampler") -> Iterator[tuple[str, str, str]]:
    """Yield what stands before a long repeat, one round of it, and what stands behind it."""
    parts = list(sequence)
    for place, (kind, value) in enumerate(parts):
        if not _repeats_long(kind, value):
            continue
        start = before + sampler.text(parts[:place])
        end = sampler.text(parts[place + 1 :]) + after
        if kind is _constants.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, start, end, sampler)
            continue
        if _is_long(kind, value):
            for unit in sampler.units(value[2]):
                yield start, unit, end
        yield from _repeats(inner(kind, value), start, end, sampler)


def _repeats_long(kind: object, value: Any) -> bool:
    """Return True where a part of a pattern is a long repeat or holds one."""
    if _is_long(kind, value):
        return True
    inside = value[1] if kind is _constants.BRANCH else [inner(kind, value)]
    return any(_repeats_long(*part) for sequence in inside for part in sequence)


def _is_long(kind: object, value: Any) -> bool:
    return kind in _REPEATS and (value[1] is _constants.MAXREPEAT or value[1] >= LONG_REPEAT)


class _Sampler:
    """Writes texts that a sequence matches, looks around aside: by its first alternatives, or by random ones."""

    def __init__(self, literals: str, choice: random.Random | None) -> None:
        self._signs = [*dict.fromkeys(literals + COMMON)]
        self._choice = choice

    def text(self, sequence: Any) -> str:
        """A text that the sequence matches."""
        return "".join(self._part(kind, value) for kind, value in sequence)

    def units(self, sequence: Any) -> Iterator[str]:
        """Rounds of a repeat: for a class words, other signs, blanks, and a word beside a sign."""
        parts = list(sequence)
        if self._choice or len(parts) != 1 or parts[0][0] not in _CLASSES:
            yield self.text(parts)
            return
        held = [sign for sign in self._signs if _holds(parts[0][0], parts[0][1], sign)]
        words = [sign for sign in held if sign.isalnum()][:3]
        others = [sign for sign in held if not sign.isalnum() and not sign.isspace()][:3]
        yield from (*words, *others, *(sign for sign in held if sign.isspace()))
        if words and others:
            yield words[0] + others[0]

    def _part(self, kind: object, value: Any) -> str:
        if kind is _constants.LITERAL:
            return chr(value)
        if kind in _CLASSES:
            return str(self._pick([sign for sign in self._signs if _holds(kind, value, sign)] or [""]))
        if kind is _constants.BRANCH:
            return self.text(self._pick(value[1]))
        if kind in _REPEATS:
            more = self._choice is not None and self._choice.random() < 0.5
            return self.text(value[2]) * (value[0] or int(more))
        return "" if kind in _LOOKS else self.text(inner(kind, value))

    def _pick(self, options: Sequence[Any]) -> Any:
        return self._choice.choice(options) if self._choice else options[0]


def _holds(kind: object, value: Any, sign: str) -> bool:
    if kind is _constants.ANY:
        return sign != "\n"
    if kind is _constants.NOT_LITERAL:
        return bool(ord(sign) != value)
    negated, held = False, False
    for what, which in value:
        if what is _constants.NEGATE:
            negated = True
        elif what is _constants.LITERAL:
            held = held or ord(sign) == which
        elif what is _constants.RANGE:
            held = held or which[0] <= ord(sign) <= which[1]
        else:
            held = held or _CATEGORIES[which](sign)
    return held is not negated


_CATEGORIES: dict[object, Callable[[str], bool]] = {
    _constants.CATEGORY_DIGIT: str.isdigit,
    _constants.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdigit(),
    _constants.CATEGORY_SPACE: str.isspace,
    _constants.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    _constants.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    _constants.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}


def find_slow(patterns: Sequence[tuple[str, str, str, int]]) -> list[tuple[str, str, str]]:
    """Return name, pattern and text for every pattern that some text makes slow: one of its own, or one that is spliced of
    all patterns of its file."""
    of_file: dict[str, list[str]] = defaultdict(list)
    own: list[list[Text]] = []
    for file, _, pattern, flags in patterns:
        pieces: list[str] = []
        own.append(texts(pattern, flags, pieces))
        of_file[file] += pieces[:MOST_PIECES]
    shared = {file: [*splices(pieces, file, SPLICES)] for file, pieces in of_file.items()}
    found = []
    for (file, name, pattern, flags), its in zip(patterns, own, strict=True):
        text = slow(pattern, flags, [*its, *shared[file]] if its else [])
        if text is not None:
            found.append((name, pattern, text))
    return found


if __name__ == "__main__":
    json.dump(find_slow(json.load(sys.stdin)), sys.stdout)
