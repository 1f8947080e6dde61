"""The protocol of a store. Losing a store loses no answer: every method has an outcome for "it is down"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

POLL = 0.1
"""Seconds between two claims of a key that another one works on."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a key. `token` proves it; None where the store is down and everyone
    works unguarded."""

    key: str
    token: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """The outcome of claiming a key: its value, or the lease to make it. Both are None if another holder
    makes it."""

    value: bytes | None = None
    lease: Lease | None = None


class Store(Protocol):
    """Keys are plain text, values bytes, times seconds."""

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values in the order of the keys, in one round trip; None where there is none."""

    async def put(self, key: str, value: bytes) -> None:
        """Keep a value for the store's time to live."""

    async def claim(self, key: str) -> Claim:
        """The value of a key, else a lease on it. A lease is renewed until it is released; that of
        a holder which was killed lapses in less than a second."""

    async def release(self, lease: Lease) -> None:
        """Give a lease up, if it is still ours, and tell those who wait."""

    async def count(self, key: str, window: float, amount: int = 1) -> int | None:
        """Add to a counter that restarts `window` seconds after its first count, and return
        it; None where the store is down."""

    async def ping(self) -> bool:
        """Return whether the store answers."""

    async def aclose(self) -> None: ...

    def stats(self) -> Mapping[str, int]:
        """Counters since the start, for telemetry."""
