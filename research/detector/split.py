"""Conversations that are held out: four writers' files, whole domains of the others, and half of the rated real conversations."""

import zlib
from typing import Any

_FILES = frozenset({"e", "ae", "af", "ag"})
#: The domains of a file that is held out, wherever they occur; of the others one in seven is held out.
_DOMAINS = frozenset({
    "running shoes", "skin care", "cars", "software for small firms", "clothing", "perfume", "baby products", "rental flats",
    "energy tariffs", "streaming subscriptions", "garden", "musical instruments", "fishing gear", "camping gear", "art supplies",
    "watches", "jewellery", "crafts supplies",
})  # fmt: skip
ONE_IN = 7


def holds(source: str, row: dict[str, Any]) -> bool:
    """Return whether a conversation of a file of the corpus is held out."""
    domain = row.get("domain", "")
    return source in _FILES or domain in _DOMAINS or zlib.crc32(domain.encode()) % ONE_IN == 0


def holds_real(row: dict[str, Any]) -> bool:
    """Return whether a rated real conversation is held out: half of them, by their id."""
    return zlib.crc32(row["id"].encode()) % 2 == 0
