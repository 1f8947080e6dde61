"""The protocol of a store. Losing a store loses no answer: every method has an outcome for "it is down"."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class Store(Protocol):
    """Keys are plain text, values bytes, times seconds."""

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values in the order of the keys, in one round trip; None where there is none."""
        ...

    async def put(self, key: str, value: bytes) -> None:
        """Keep a value for the store's time to live."""
        ...

    async def count(self, key: str, window: float, amount: int = 1) -> int | None:
        """Add to a counter that restarts `window` seconds after its first count, and return
        it; None where the store is down."""
        ...

    async def ping(self) -> bool:
        """Return whether the store answers."""
        ...

    async def aclose(self) -> None: ...

    def stats(self) -> Mapping[str, int]:
        """Counters since the start, for telemetry."""
        ...
