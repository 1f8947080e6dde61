"""The share of conversations that a model judges, by system and by the hash of their ids."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

_HASHED = 8
_PLACES: int = 256**_HASHED


@dataclass(frozen=True)
class Sampling:
    """The share, 0 to 1: `usual`, or what `systems` say."""

    usual: float = 0.0
    systems: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> "Sampling":
        """Read `0.1`, or `0.1,shop=1` with systems of their own. Raises ValueError."""
        usual, systems = cls.usual, {}
        for part in filter(None, map(str.strip, text.split(","))):
            system, equals, share = part.rpartition("=")
            if equals:
                systems[system.strip()] = _share(share)
            else:
                usual = _share(part)
        return cls(usual, systems)

    def __str__(self) -> str:
        return ",".join([f"{self.usual:g}", *(f"{name}={share:g}" for name, share in self.systems.items())])

    def takes(self, conversation: str, system: str | None) -> bool:
        """Return whether the sample of a system holds a conversation: the same for the same id everywhere, and of a larger share
        everything that a smaller one holds."""
        digest = hashlib.sha256(conversation.encode()).digest()[:_HASHED]
        place: int = int.from_bytes(digest)
        return place < self.systems.get(system or "", self.usual) * _PLACES


def _share(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise ValueError(f"{text[:40]!r} is no share from 0 to 1")
    return share
