"""Catalogue files: one item a line, checked, so that a slip in a file is found at start-up."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from ..domain.conversation import Item
from ..errors import ConfigurationError

MOST = 1e12


class _LineError(ValueError):
    """A fault of a line, in words for the operator."""


def _up_to(most: float) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most


_TEXT = (lambda value: isinstance(value, str), "a text")
_AMOUNT = (_up_to(MOST), "a number that is not negative")
_FIELDS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "title": _TEXT,
    "id": _TEXT,
    "attributes": (lambda value: isinstance(value, dict), "an object from dimension to text or texts"),
    "popularity": (_up_to(1), "a number from 0 to 1"),
    "price": _AMOUNT,
    "rating": _AMOUNT,
    "stock": (lambda value: isinstance(value, int) and _up_to(math.inf)(value), "how many are left"),
    **dict.fromkeys(("description", "currency", "url", "image"), _TEXT),
}


def read_items(path: Path) -> list[Item]:
    """The items of a JSON-lines file. A broken line, or an id that stands twice, is a
    `ConfigurationError` that names file, line and what is wrong."""
    items: list[Item] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            item = json.loads(line.decode("utf-8"))
            # An answer that quotes half a character could not be sent.
            json.dumps(item, ensure_ascii=False).encode()
            items.append(_item(item))
            name = items[-1].id
            if name is not None and lines.setdefault(name, number) != number:
                raise _LineError(f"the id {name!r} is already in line {lines[name]}")
        except (ValueError, RecursionError) as wrong:
            raise ConfigurationError(f"{path.name}, line {number}: {_said(wrong)}") from wrong
    return items


def _said(wrong: ValueError | RecursionError) -> str:
    if isinstance(wrong, RecursionError):
        return "not JSON that can be read: it is nested too deeply"
    if isinstance(wrong, UnicodeEncodeError):
        return "half a surrogate pair; write the whole character"
    if isinstance(wrong, json.JSONDecodeError):
        return f"not JSON: {wrong.msg} at column {wrong.colno}"
    return "not UTF-8" if isinstance(wrong, UnicodeDecodeError) else str(wrong)


def _item(raw: object) -> Item:
    if not isinstance(raw, dict):
        raise _LineError("an item is a JSON object")
    given = {name: value for name, value in raw.items() if value is not None}
    for name in sorted(raw):
        if name not in _FIELDS:
            raise _LineError(f"unknown field {name!r}; known are {', '.join(_FIELDS)}")
        fits, kind = _FIELDS[name]
        if name in given and not fits(given[name]):
            raise _LineError(f"{name} is {kind}, not {given[name]!r:.40}")
    if not given.get("title", "").strip():
        raise _LineError("an item needs a title that is not empty")
    numbers = {name: float(given[name]) for name in ("popularity", "price", "rating") if name in given}
    return Item(**{**given, **numbers, "attributes": _attributes(given.get("attributes", {}))})


def _attributes(raw: Mapping[str, object]) -> Mapping[str, tuple[str, ...]]:
    attributes: dict[str, tuple[str, ...]] = {}
    for dimension, values in raw.items():
        texts = [values] if isinstance(values, str) else values
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise _LineError(f"attribute {dimension!r} is a text or a list of texts")
        attributes[dimension] = tuple(texts)
    return MappingProxyType(attributes)
