"""Room for what is in the process at once: so many things, so many bytes. What finds none waits."""

import asyncio


class ConcurrencyLimit:
    """At most `things` of together `size` bytes; one that is larger than all of it enters alone."""

    def __init__(self, things: int, size: int) -> None:
        self._most_things = things
        self._most_bytes = size
        self.things = 0
        self.bytes = 0
        self._changed = asyncio.Event()

    async def enter(self, size: int) -> None:
        """Wait until there is room for `size` bytes, and take it."""
        while not self._fits(size):
            self._changed.clear()
            await self._changed.wait()
        self.things += 1
        self.bytes += size

    def leave(self, size: int) -> None:
        """Give back what was taken."""
        self.things -= 1
        self.bytes -= size
        self._changed.set()

    async def empty(self) -> None:
        """Wait until nothing is inside."""
        while self.things:
            self._changed.clear()
            await self._changed.wait()

    def _fits(self, size: int) -> bool:
        return not self.things or (self.things < self._most_things and self.bytes + size <= self._most_bytes)
