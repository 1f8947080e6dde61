"""So many things at a time, shared fairly between the callers that wait for one."""

import asyncio
from collections import Counter, OrderedDict, deque

from ..domain.caller import CALLER


class Turns:
    """At most `number` at a time, and at most `each` of one caller. What comes free goes to the caller that holds least,
    among equals to the one that had none for the longest: a request with hundreds of calls holds nobody else up."""

    def __init__(self, number: int, each: int | None = None) -> None:
        self._free = number
        self._each = number if each is None else each
        self._held: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def locked(self) -> bool:
        """Return whether the caller that the context names has to wait."""
        return self._free == 0 or self._held[CALLER.get()] >= self._each

    async def acquire(self) -> None:
        """Wait for a turn of the caller that the context names."""
        who = CALLER.get()
        if not self.locked():
            self._grant(who)
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(who, turn)
            else:  # granted, and cancelled before it was noticed
                self.release()
            raise

    def release(self) -> None:
        """End a turn of the caller that the context names."""
        who = CALLER.get()
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]
        self._free += 1
        while self._free and (next_one := self._next()) is not None:
            self._serve(next_one)

    def _next(self) -> str | None:
        below = (who for who in self._waiting if self._held[who] < self._each)
        return min(below, key=self._held.__getitem__, default=None)

    def _serve(self, who: str) -> None:
        turn = self._waiting[who].popleft()
        if self._waiting[who]:
            self._waiting.move_to_end(who)
        else:
            del self._waiting[who]
        if not turn.done():
            self._grant(who)
            turn.set_result(None)

    def _grant(self, who: str) -> None:
        self._free -= 1
        self._held[who] += 1

    def _forget(self, who: str, turn: "asyncio.Future[None]") -> None:
        line = self._waiting.get(who)
        if line and turn in line:
            line.remove(turn)
            if not line:
                del self._waiting[who]
