"""Data without a place in a log: metadata where it is short, counted by name where it is not."""

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import accumulate
from typing import Any

LONGEST = 2000
"""Characters of one value that metadata takes: belief states and whole prompts would swell every request."""
_DEEPEST = 100
_BRACKETS = re.compile(r"[\[{\]}]")
_PRINTED = re.compile(r"[\s\[{]{1,100}+'")
_PYTHON = re.compile(
    r"""'(?>(?:[^'\\]|\\.)*)'|"(?>(?:[^"\\]|\\.)*)"|\b(?:None|True|False)\b|\}\s++\{""", re.DOTALL
)
_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
EMPTY: tuple[Any, ...] = (None, "", [], {})


class Leftovers:
    """The counts of one conversation: what it holds and its log does not, by the name of the field. `about` is the field of the
    messages that are read."""

    def __init__(self, about: str = "messages", left: Counter[str] | None = None) -> None:
        self.about = about
        self.left: Counter[str] = Counter() if left is None else left

    def of_history(self) -> "Leftovers":
        """The same counts, for messages of an earlier conversation."""
        return Leftovers("history", self.left)

    def keep(self, value: Mapping[str, Any], read: Collection[str], prefix: str = "") -> dict[str, str]:
        """Return the fields that are not `read` as metadata, and count those that are too long for it.

        What a field `metadata` holds stands beside the others by its own names."""
        kept: dict[str, str] = {}
        for name, part in value.items():
            if name in read or part in EMPTY:
                continue
            if name == "metadata" and isinstance(part, Mapping):
                for inner, one in self.keep(part, (), f"{prefix}metadata.").items():
                    kept.setdefault(inner, one)
                continue
            text = as_text(part)
            if len(text) > LONGEST:
                self.left[f"{prefix}{name}"] += 1
            else:
                kept[str(name)] = text
        return kept

    def count_unread(self, value: Mapping[str, Any], read: Collection[str], prefix: str) -> None:
        """Count the fields that hold something and are not `read`."""
        for name, part in value.items():
            if name not in read and part not in EMPTY:
                self.left[f"{prefix}{name}"] += 1

    def count(self, name: str, number: int = 1) -> None:
        """Count something that is left out."""
        if number:
            self.left[name] += number


def as_text(value: Any) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def as_name(value: Any) -> str | None:
    """A name as text, 3 for 3.0, which a column of numbers with a gap holds for 3; what `{"$oid": ...}` or `{"id": ...}` holds. None
    for what is no name."""
    if isinstance(value, Mapping):
        value = value.get("$oid", value.get("id"))
    if isinstance(value, float):
        value = (int(value) if value.is_integer() else str(value)) if math.isfinite(value) else None
    return (
        str(value).strip() or None if isinstance(value, str | int) and not isinstance(value, bool) else None
    )


def loaded(value: Any) -> Any:
    """The JSON that a string holds, where it is an object or an array, and not nested deeper than data is; else the
    value itself. Objects as Python prints them, which tables of pandas hold, are read as well."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[") or _is_deep(value):
        return value
    for text in (value, _PYTHON.sub(_as_json, value) if _PRINTED.match(value) else None):
        with suppress(ValueError, RecursionError):
            return json.loads(text or "")
    return value


def _as_json(found: re.Match[str]) -> str:
    """A string or a constant of Python's in JSON; the comma between the objects of an array of numpy's."""
    token = found[0]
    if token[0] == "}":
        return "}, {"
    with suppress(SyntaxError, ValueError):
        return _CONSTANTS.get(token) or json.dumps(ast.literal_eval(token))
    return token


def _is_deep(text: str) -> bool:
    """Return whether brackets are nested deeper than `_DEEPEST`; those in strings count as well."""
    if text.count("[") + text.count("{") <= _DEEPEST:
        return False
    depths = accumulate(1 if sign in "[{" else -1 for sign in _BRACKETS.findall(text))
    return any(depth > _DEEPEST for depth in depths)
