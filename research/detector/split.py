"""Conversations that are held out: a whole file, whole domains of the others, and half of the rated real conversations."""

import zlib
from dataclasses import dataclass
from typing import Any

#: Writers' files that are held out, by the name of the split, and other domains by name or by one in so many.
_FILES = {"domains": {"d"}, "final": {"e", "ae", "af", "ag"}}
_NAMED = {
    "domains": frozenset({"headphones", "gifts", "hotels", "wine", "skin care", "rental flats"}),
    # The domains of the held-out file, wherever they occur.
    "final": frozenset({
        "running shoes", "skin care", "cars", "software for small firms", "clothing", "perfume", "baby products", "rental flats",
        "energy tariffs", "streaming subscriptions", "garden", "musical instruments", "fishing gear", "camping gear", "art supplies",
        "watches", "jewellery", "crafts supplies",
    }),
}  # fmt: skip
ONE_IN = 7


@dataclass(frozen=True, slots=True)
class Split:
    """A named split. `none` holds nothing out."""

    name: str

    def holds(self, source: str, row: dict[str, Any]) -> bool:
        """Return whether a conversation of the corpus is held out."""
        if self.name == "none":
            return False
        domain = row.get("domain", "")
        by_chance = self.name == "final" and zlib.crc32(domain.encode()) % ONE_IN == 0
        return source in _FILES[self.name] or domain in _NAMED[self.name] or by_chance

    def holds_real(self, row: dict[str, Any]) -> bool:
        """Return whether a rated real conversation is held out: half of them, by their id."""
        return self.name != "none" and zlib.crc32(row["id"].encode()) % 2 == 0
