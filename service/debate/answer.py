"""Read the statement and the score from a model's answer."""

from contextlib import suppress
from dataclasses import dataclass

from ..llm.answer_text import objects_in, printable
from .statement import BEST, WORST


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
    found = [value for value in objects_in(text) if value is None or "score" in value]
    if not found:
        raise UnreadableAnswer("it holds no JSON object with a score")
    if (last := found[-1]) is None:
        raise UnreadableAnswer("its JSON is cut off or malformed")
    statement = last.get("statement")
    if not isinstance(statement, str) or not statement.strip():
        raise UnreadableAnswer('"statement" is missing or empty')
    return Answer(printable(statement.strip()), _score(last["score"]))


def _score(value: object) -> int:
    number = None
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            number = float(value)
    if number is None or not WORST <= number <= BEST or number != int(number):
        raise UnreadableAnswer(f'"score" is no whole number from {WORST} to {BEST}')
    return int(number)
