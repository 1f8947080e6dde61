"""Read the statement and the score from a model's answer."""

from contextlib import suppress

from ..llm.answer_text import objects_in, printable
from .statement import BEST, WORST


def read(text: str) -> tuple[str, int] | str:
    """Return the statement and the score (0-100) of an answer's last JSON object with a score. An answer without one gives a
    sentence that tells the model why. Fences and words around the object are let pass; "70" and 70.0 are 70."""
    found = [value for value in objects_in(text) if value is None or "score" in value]
    if not found:
        return "it holds no JSON object with a score"
    if (last := found[-1]) is None:
        return "its JSON is cut off or malformed"
    statement, score = last.get("statement"), _score(last["score"])
    if not isinstance(statement, str) or not statement.strip():
        return '"statement" is missing or empty'
    if score is None:
        return f'"score" is no whole number from {WORST} to {BEST}'
    return printable(statement.strip()), score


def _score(value: object) -> int | None:
    number = None
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            number = float(value)
    if number is None or not WORST <= number <= BEST or number != int(number):
        return None
    return int(number)
