"""The share of conversations that a model judges, by system and by the hash of their ids."""

import contextlib
import hashlib
from dataclasses import dataclass

from .idle import PerSystem

_HASHED = 8
_PLACES: int = 256**_HASHED


def _share(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (share := float(text)) <= 1:
            return share
    raise ValueError(f"{text[:40]!r} is no share; write a number from 0 to 1, such as 0.1")


@dataclass(frozen=True)
class Sampling(PerSystem):
    """The share of a system's conversations, 0 to 1."""

    read = staticmethod(_share)
    written = staticmethod("{:g}".format)

    def takes(self, conversation: str, system: str | None) -> bool:
        """Return whether the sample of a system holds a conversation: the same for the same id everywhere, and of a larger share
        everything that a smaller one holds."""
        digest = hashlib.sha256(conversation.encode()).digest()[:_HASHED]
        place: int = int.from_bytes(digest)
        return place < self.of(system) * _PLACES
