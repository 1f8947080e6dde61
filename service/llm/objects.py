"""The JSON objects in what a model answered, read without trust."""

import json
import re
from collections.abc import Iterator
from typing import Any

LONGEST = 100_000
"""Characters of an answer that are read, from its end: the last object counts."""

_THOUGHTS = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(r"\{\s*(?=[\"'}\w]|$)")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(strict=False)  # models leave raw line ends in strings


def objects_in(text: str) -> Iterator[dict[str, Any] | None]:
    """The outermost JSON objects of an answer, in order, whatever stands around them: fences, prose,
    a model's thoughts before the answer. None, as the last, where one begins that cannot be read: it
    may have been meant to replace what came before, and nothing inside it is looked at, since that
    may be a quotation from the log."""
    text = _THOUGHTS.sub("", text[-LONGEST:])
    at = _OPENING.search(text)
    while at is not None:
        try:
            value, end = _DECODER.raw_decode(text, at.start())
        except (ValueError, RecursionError):  # ValueError as well for a number of thousands of digits
            yield None
            return
        yield value
        at = _OPENING.search(text, end)


def printable(value: Any) -> Any:
    """`value` with U+FFFD for every lone surrogate in its texts: an escaped half of a pair is legal
    JSON, and cannot be sent on as UTF-8."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, dict):
        return {key: printable(one) for key, one in value.items()}
    return value
