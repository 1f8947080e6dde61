"""Catalogue files: one item a line, checked, so that a slip in a file is found at start-up."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ..domain.conversation import Item
from ..errors import ConfigurationError

MOST = 1e12
_TEXTS = ("description", "currency", "url", "image")
_FIELDS = ("title", "id", "attributes", "popularity", "price", "rating", "stock", *_TEXTS)


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
            _note_id(items[-1].id, number, lines)
        except (ValueError, RecursionError) as wrong:
            raise ConfigurationError(f"{path.name}, line {number}: {_said(wrong)}") from wrong
    return items


def _note_id(name: str | None, number: int, lines: dict[str, int]) -> None:
    if name is not None and lines.setdefault(name, number) != number:
        raise _LineError(f"the id {name!r} is already in line {lines[name]}")


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
    unknown = sorted(set(raw) - set(_FIELDS))
    if unknown:
        raise _LineError(f"unknown field {unknown[0]!r}; known are {', '.join(_FIELDS)}")
    title = _text(raw, "title")
    if title is None or not title.strip():
        raise _LineError("an item needs a title that is not empty")
    return Item(
        title=title,
        id=_text(raw, "id"),
        attributes=_attributes(raw.get("attributes")),
        popularity=_popularity(raw.get("popularity")),
        description=_text(raw, "description"),
        currency=_text(raw, "currency"),
        url=_text(raw, "url"),
        image=_text(raw, "image"),
        price=_amount(raw, "price"),
        rating=_amount(raw, "rating"),
        stock=_stock(raw.get("stock")),
    )


class _LineError(ValueError):
    """A fault of a line, in words for the operator."""


def _text(raw: Mapping[str, object], name: str) -> str | None:
    value = raw.get(name)
    if value is not None and not isinstance(value, str):
        raise _LineError(f"{name} is a text, not {value!r:.40}")
    return value


def _attributes(raw: object) -> Mapping[str, tuple[str, ...]]:
    if raw is None:
        return MappingProxyType({})
    if not isinstance(raw, dict):
        raise _LineError("attributes is an object from dimension to text or texts")
    attributes: dict[str, tuple[str, ...]] = {}
    for dimension, values in raw.items():
        texts = [values] if isinstance(values, str) else values
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise _LineError(f"attribute {dimension!r} is a text or a list of texts")
        attributes[dimension] = tuple(texts)
    return MappingProxyType(attributes)


def _amount(raw: Mapping[str, object], name: str) -> float | None:
    value = raw.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < MOST:
        raise _LineError(f"{name} is a number that is not negative, not {value!r:.40}")
    return float(value)


def _stock(raw: object) -> int | None:
    if raw is None or (isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0):
        return raw
    raise _LineError(f"stock is how many are left, not {raw!r:.40}")


def _popularity(raw: object) -> float | None:
    if raw is None:
        return None
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= 1:
        raise _LineError(f"popularity is a number from 0 to 1, not {raw!r:.40}")
    return float(raw)
