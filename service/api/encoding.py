"""Python values as JSON bytes: UTF-8, compact, no NaN."""

from pydantic_core import to_json

_SEPARATORS = {"\x85": b"\\u0085", "\u2028": b"\\u2028", "\u2029": b"\\u2029"}


def encode(value: object) -> bytes:
    """`value` (a model, or plain values) as JSON. Models refuse NaN and infinities before they come here."""
    return to_json(value)


def one_line(data: bytes) -> bytes:
    """The same JSON with its line separators beyond ASCII escaped: many readers of lines end one there."""
    for separator, escaped in _SEPARATORS.items():
        data = data.replace(separator.encode(), escaped)
    return data
