"""Python values as JSON bytes: UTF-8, compact, no NaN."""

from pydantic_core import to_json


def encode(value: object) -> bytes:
    """`value` (a model, or plain values) as JSON. Models refuse NaN and infinities before they come here."""
    return to_json(value)
