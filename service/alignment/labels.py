"""Read a model's answer to a request for labels, without trust."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..judges.llm.answer import Unreadable, last_object
from ..judges.llm.schemas import as_text, object_schema
from ..llm.answer_text import printable
from .pair import Reading
from .strategies import NO_STRATEGY, StrategyName

REVISION = 2
"""Raised with every change that reads other labels from the same answer."""

_NAME = {"type": "string", "enum": [name.value for name in StrategyName]}
_ENTRY = object_schema(
    {
        "reply": {"type": "integer"},
        "reason": {"type": "string"},
        "strategy": _NAME,
        "second": {"anyOf": [_NAME, {"type": "null"}]},
    }
)
SCHEMA = as_text(object_schema({"replies": {"type": "array", "items": _ENTRY}}))


@dataclass(frozen=True, slots=True)
class Labels:
    """Readings by the number of their reply, and what is wrong with the answer, if anything is."""

    readings: Mapping[int, Reading]
    problem: str | None


def read_labels(text: str, count: int) -> Labels:
    """The labels of replies 1 to `count` in the last JSON object of an answer that has any. Labels
    in other letters or with blanks or hyphens are taken; unknown ones are not."""
    last = last_object(text, {"replies"}, '"replies"')
    if isinstance(last, Unreadable):
        return Labels({}, last.problem)
    if not isinstance(last["replies"], list):
        return Labels({}, '"replies" is no list')
    readings: dict[int, Reading] = {}
    problems: list[str] = []
    for entry in last["replies"]:
        number = entry.get("reply") if isinstance(entry, dict) else None
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= count:
            continue
        reading = _reading(entry)
        if isinstance(reading, Reading):
            readings[number] = reading
        else:
            problems.append(f"reply {number}: {reading}")
    missing = [str(number) for number in range(1, count + 1) if number not in readings]
    if missing and not problems:
        problems.append(f"there is no entry for reply {', '.join(missing[:10])}")
    return Labels(readings, "; ".join(problems[:3]) if missing else None)


def _reading(entry: Mapping[str, Any]) -> Reading | str:
    first = _name(entry.get("strategy"))
    if first is None:
        return '"strategy" is none of the labels'
    reason = entry.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        return '"reason" is missing or empty'
    second = _name(entry.get("second"))
    wavers = second not in {None, first, NO_STRATEGY} and first is not NO_STRATEGY
    return Reading((first, second) if wavers and second else (first,), reason=printable(reason.strip()))


def _name(value: object) -> StrategyName | None:
    if not isinstance(value, str):
        return None
    folded = re.sub(r"[\s-]+", "_", value.strip().lower())
    return StrategyName(folded) if folded in set(StrategyName) else None
