"""Spans of time and shares as operators write them: how long a conversation may be quiet, and how many a model judges."""

import contextlib
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

_UNITS = MappingProxyType({"d": 86_400, "h": 3600, "m": 60, "s": 1})
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)([smhd])")


def span_text(seconds: float) -> str:
    """Seconds as `parse_span` reads them, in the largest unit that leaves a whole number."""
    for unit, size in _UNITS.items():
        if seconds % size == 0:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"


def parse_span(text: str) -> float:
    """`90s`, `30m`, `24h` or `7d` in seconds. Raises ValueError for anything else."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text[:40]!r} is no span of time; write 90s, 30m, 24h or 7d")
    return float(found[1]) * _UNITS[found[2]]


@dataclass(frozen=True)
class PerSystem(ABC):
    """A number that operators give for all systems, `usual`, and for some of them in `systems`."""

    usual: float = 0.0
    systems: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    @abstractmethod
    def read(text: str, /) -> float:
        """Return the number that a text gives. Raises ValueError."""

    @staticmethod
    @abstractmethod
    def written(value: float, /) -> str:
        """Return a number as `read` reads it."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `30m`, or `30m,shop=10m` with limits of single systems. Raises ValueError."""
        systems: dict[str, float] = {}
        for part in filter(None, map(str.strip, text.split(","))):
            system, _, value = map(str.strip, part.rpartition("="))
            if system in systems:
                raise ValueError(
                    f"{system or 'all systems'}: there are two values; write one, and system=value for others"
                )
            systems[system] = cls.read(value)
        return cls(systems.pop("", cls.usual), systems)

    def __str__(self) -> str:
        systems = (f"{name}={self.written(value)}" for name, value in self.systems.items())
        return ",".join([self.written(self.usual), *systems])

    def of(self, system: str | None) -> float:
        """Return the number for a system."""
        return self.systems.get(system or "", self.usual)


@dataclass(frozen=True)
class Idle(PerSystem):
    """After how many seconds of quiet a conversation is over."""

    usual: float = 1800.0

    read = staticmethod(parse_span)
    written = staticmethod(span_text)


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
