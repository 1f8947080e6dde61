"""Texts that were never read before: the encoder keeps what it made of a text, and a load that repeats itself measures that cache."""

from collections.abc import Mapping, Sequence
from typing import Any


def distinct(messages: Sequence[Mapping[str, Any]], mark: object) -> list[dict[str, Any]]:
    """The messages, each with the mark and its own place in its text: no two of a conversation are alike, and none of two marks."""
    return [
        {**message, "content": f"{message['content']} ({mark}.{place})"}
        for place, message in enumerate(messages)
    ]
