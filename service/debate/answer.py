"""What a model answered: the statement and the score that can be read from its text."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from .statement import BEST, WORST

LONGEST = 20_000
"""Characters of an answer that are read; an answer is asked to be a few hundred."""

MOST_BRACES = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """A statement with its score, 0-100."""

    statement: str
    score: int


class UnreadableAnswer(ValueError):  # noqa: N818 - it names the answer
    """Nothing usable was answered; the message says what is wrong, for the model to mend."""


def read(text: str) -> Answer:
    """The last JSON object with a score in a model's answer. Fences and words around it are let
    pass; "70" and 70.0 are 70.

    Raises UnreadableAnswer for no such object, no statement, or a score that is no whole number
    from 0 to 100."""
    found = [value for value in _objects(text[-LONGEST:]) if "score" in value]
    if not found:
        raise UnreadableAnswer("it holds no JSON object with a score")
    last = found[-1]
    statement = last.get("statement")
    if not isinstance(statement, str) or not statement.strip():
        raise UnreadableAnswer('"statement" is missing or empty')
    # An escaped half of a surrogate pair is legal JSON, and cannot be sent on as UTF-8.
    said = statement.strip().encode("utf-8", "replace").decode("utf-8")
    return Answer(said, _score(last["score"]))


def _score(value: object) -> int:
    number = None
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            number = float(value)
    if number is None or not WORST <= number <= BEST or number != int(number):
        raise UnreadableAnswer(f'"score" is no whole number from {WORST} to {BEST}')
    return int(number)


def _objects(text: str) -> Iterator[dict[str, object]]:
    """The outermost JSON objects in a text, in order."""
    decoder = json.JSONDecoder(strict=False)  # models leave raw newlines in strings
    at = text.find("{")
    for _ in range(MOST_BRACES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):  # a ValueError also for a number of thousands of digits
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict):
            yield value
        at = text.find("{", end)
