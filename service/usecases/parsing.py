"""Bodies as values: measured in their raw bytes before any part is made into an object, and parsed once. Every fault is named by its place and its fix."""

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from ..errors import FieldError, InvalidRequest, MalformedBody
from .validation_errors import field_errors

BASE = 8 * 1024 * 1024
TIMES = 12
MOST = 300 * 1024 * 1024
"""A body takes at most BASE bytes plus TIMES its size, and never more than MOST."""
OBJECT = 780
KEY = 60
ARRAY = 250
ENTRY = 64
"""Bytes that one object, one of its keys, one array and one of its entries take. Measured with messages, ratings, verdicts and
lists of titles: as parsed JSON and as checked values."""
TITLE = 2000
"""Bytes that an item takes whose title is all that is said of it: as a checked value and in the index of titles."""
MOST_KEYS = 1000
"""Keys of one object. A key that no model knows costs 0.5 KB to refuse."""
DEEPEST = 127
_QUOTE = ord('"')
_NO_STRUCTURE = bytes(set(range(256)) - set(b'{}[],:"'))
_NO_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))
_ROUND = bytes.maketrans(b"{[}]", b"(())")
#: No writer of JSON escapes a letter of ASCII, save to hide a key.
_ESCAPED_LETTER = re.compile(rb"\\u00(?:4[1-9A-Fa-f]|5[0-9Aa]|6[1-9A-Fa-f]|7[0-9Aa])")


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of parts of a JSON text. `depth` is that of its nesting; `entries` counts those of arrays,
    `titles` the keys called "title"."""

    size: int
    depth: int
    objects: int
    keys: int
    arrays: int
    entries: int
    titles: int = 0

    @property
    def memory(self) -> int:
        parts = self.objects * OBJECT + self.keys * KEY + self.arrays * ARRAY + self.entries * ENTRY
        return max(parts, self.titles * TITLE)


def shape(body: bytes) -> Shape:
    """Count the parts of a JSON text without parsing it. A text that is no JSON has a shape too."""
    text = body.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in body else body
    parts = _outside_strings(text.translate(None, _NO_STRUCTURE))
    objects, keys = parts.count(b"{"), parts.count(b":")
    return Shape(
        size=len(body),
        depth=_depth(parts.translate(_ROUND, _NO_BRACKETS)),
        objects=objects,
        keys=keys,
        arrays=parts.count(b"["),
        entries=max(0, parts.count(b",") + objects - keys),  # an object has a comma fewer than keys
        titles=body.count(b'"title"') + len(_ESCAPED_LETTER.findall(body)),
    )


def _outside_strings(structure: bytes) -> bytes:
    """Return the brackets, commas and colons outside strings. A pattern would take twenty times as much memory."""
    signs = np.frombuffer(structure.replace(b'""', b""), np.uint8)
    inside = np.cumsum(signs == _QUOTE, dtype=np.uint8) & 1
    kept: bytes = signs[(inside == 0) & (signs != _QUOTE)].tobytes()
    return kept


def _depth(brackets: bytes) -> int:
    """Take away the innermost pairs, level by level. What has no counterpart is open."""
    depth = 0
    while b"()" in brackets and depth <= DEEPEST:
        brackets = brackets.replace(b"()", b"")
        depth += 1
    return depth + brackets.count(b"(")


def _count_keys(value: Any) -> tuple[int, int]:
    """The keys of the largest object in a value, and of all objects."""
    most, total, waiting = 0, 0, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            most, total = max(most, len(one)), total + len(one)
            one = one.values()
        waiting += [part for part in one if isinstance(part, (dict, list))]
    return most, total


def _different_keys(pairs: Sequence[tuple[str, Any]]) -> None:
    """Raise InvalidRequest for an object that names a key twice."""
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1:
            raise InvalidRequest.at(
                "", f"an object has the field {name[:80]!r} twice", "send each field once"
            )


def allowance(size: int) -> int:
    """The bytes of memory that a body of `size` bytes may take."""
    return min(BASE + TIMES * size, MOST)


def check_shape(found: Shape, max_depth: int, share: float = 1.0) -> None:
    """Raise InvalidRequest for a text that is nested too deep, and where its parts take more memory than a text of its size may.
    `share` is how much of that the model takes."""
    if found.depth > max_depth:
        raise InvalidRequest.at(
            "",
            f"nested {found.depth} levels deep, where {max_depth} are allowed",
            "send the structure that the document describes",
        )
    if found.memory * share > allowance(found.size):
        raise InvalidRequest.at(
            "",
            f"holds {found.objects} objects with {found.keys} keys and {found.arrays} arrays with {found.entries} entries "
            f"in {found.size} bytes: more than a body of this size may",
            "leave out empty objects and arrays, or send fewer entries in each of several requests",
        )


Model = TypeVar("Model", bound=BaseModel)

RATINGS_TIMES = 3
"""The body of `/calibrate` may be so many times as large as others, where it holds ratings one by one."""


def body_limit(path: str, limit: int) -> int:
    """Return how many bytes a route's body may have, where `limit` is that of most."""
    return limit * RATINGS_TIMES if path == "/calibrate" else limit


@dataclass(frozen=True)
class Limits:
    """Limits of one request; see the settings of the same names."""

    body: int
    messages: int
    depth: int
    list_cutoff: int
    seconds: float

    def too_long(self, at: str, messages: int) -> Iterator[FieldError]:
        """Yield what is wrong with a conversation of so many messages, history included."""
        if messages > self.messages:
            detail = f"{messages} messages with history, where {self.messages} are allowed"
            yield FieldError(at, detail, "cut the log, or have the operator raise CRS_EVAL_MAX_MESSAGES")


def parse(model: type[Model], body: bytes, max_depth: int, share: float = 1.0) -> Model:
    """The body as a `model`, which takes a `share` of what its parts may.

    Raises MalformedBody where it is no JSON, InvalidRequest where it does not fit, with the first wrong entry of each list."""
    found = shape(body)
    check_shape(found, max_depth, share)
    return checked(model, _values(body, found.keys))


def _values(text: bytes, keys: int) -> Any:
    """Parse a JSON text of so many keys for a model to read: were the model to read the text, each fault would hold a copy
    of all around it. Raises as `parse` does where the text is no JSON. Raises InvalidRequest for an object of too many keys, or with a
    key that comes twice."""
    if not text.strip():
        raise MalformedBody("The body is empty. Send a JSON object.")
    try:
        found = from_json(text.removeprefix(BOM_UTF8))  # RFC 8259 lets readers ignore it
    except ValueError as error:
        hint = " Replace lone surrogates, for example by U+FFFD." if "escape" in str(error) else ""
        detail = f"The body is not JSON: {error}. Send one UTF-8 encoded JSON object.{hint}"
        raise MalformedBody(detail) from None
    most, total = _count_keys([found])
    if most > MOST_KEYS:
        detail = f"has an object of {most} keys, where {MOST_KEYS} are allowed"
        raise InvalidRequest.at("", detail, "send the fields that the document describes")
    if total < keys:  # the last one would win
        json.loads(text, object_pairs_hook=_different_keys)
    return found


def checked(model: type[Model], value: Any) -> Model:
    """The values as a `model`. Raises InvalidRequest where they do not fit."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
    raise InvalidRequest.of(field_errors(model, found))
