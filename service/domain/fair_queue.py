"""Fair queue for CPU time and for calls of models: what comes free goes to the caller that has used the least time."""

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class HeldTurn:
    """Permission of a caller to compute or to call, since `began` on the queue's clock."""

    caller: str
    began: float


class FairSemaphore:
    """At most `places` turns at a time. `spare` more go to callers that hold none and have waited for `patience` seconds: one
    with long requests never holds all. `clock` counts seconds."""

    def __init__(
        self,
        places: int,
        spare: int = 0,
        patience: float = 0.5,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._places, self._spare, self._patience, self._clock = places, spare, patience, clock
        self._held: dict[str, set[HeldTurn]] = {}
        self._waiting: defaultdict[str, deque[asyncio.Future[HeldTurn]]] = defaultdict(deque)
        #: Requests that have waited for `patience` seconds, by the order in which they came.
        self._late: dict[asyncio.Future[HeldTurn], str] = {}
        self._used: defaultdict[str, float] = defaultdict(float)

    @property
    def is_full(self) -> bool:
        """Return whether a caller would have to wait."""
        return self._taken() >= self._places

    async def acquire(self, caller: str) -> HeldTurn:
        """Wait for a turn; give it to `release` when it is over."""
        self._join(caller)
        coming: asyncio.Future[HeldTurn] = asyncio.get_running_loop().create_future()
        self._waiting[caller].append(coming)
        self._serve()
        if self._spare and not coming.done():
            asyncio.get_running_loop().call_later(self._patience, self._note_late, caller, coming)
        try:
            return await coming
        except asyncio.CancelledError:
            if coming.cancelled():
                self._leave(caller, coming)
            else:  # granted, and cancelled before it was noticed
                self.release(coming.result(), 0.0)
            raise

    def release(self, turn: HeldTurn, cpu: float | None = None) -> None:
        """End a turn that took `cpu` seconds of CPU; None where nobody knows, which counts all of its time."""
        self._used[turn.caller] += self._clock() - turn.began if cpu is None else cpu
        held = self._held[turn.caller]
        held.remove(turn)
        if not held:
            del self._held[turn.caller]
        self._serve()

    def _join(self, caller: str) -> None:
        """A caller that was idle has saved nothing up: it begins with what the least of the others has used. Turns that are
        not over are left out: the CPU time that they took may be far less than the time that they hold a place."""
        active = {*self._held, *self._waiting}
        if caller in active:
            return
        floor = min((self._used[one] for one in active), default=0.0)
        kept = {one: used for one, used in self._used.items() if one in active or (active and used > floor)}
        self._used = defaultdict(float, kept)
        self._used[caller] = max(self._used[caller], floor)

    def _leave(self, caller: str, coming: "asyncio.Future[HeldTurn]") -> None:
        self._late.pop(coming, None)
        line = self._waiting.get(caller)
        if line and coming in line:
            line.remove(coming)
            if not line:
                del self._waiting[caller]

    def _note_late(self, caller: str, coming: "asyncio.Future[HeldTurn]") -> None:
        if not coming.done():
            self._late[coming] = caller
            self._serve()

    def _serve(self) -> None:
        while self._waiting and not self.is_full:
            caller = min(self._waiting, key=self._cost)
            self._grant(caller, self._waiting[caller][0])
        for coming, caller in list(self._late.items()):
            if caller not in self._held and self._taken() < self._places + self._spare:
                self._grant(caller, coming)

    def _grant(self, caller: str, coming: "asyncio.Future[HeldTurn]") -> None:
        self._leave(caller, coming)
        if not coming.done():
            turn = HeldTurn(caller, self._clock())
            self._held.setdefault(caller, set()).add(turn)
            coming.set_result(turn)

    def _taken(self) -> int:
        return sum(map(len, self._held.values()))

    def _cost(self, caller: str) -> float:
        """Seconds of a caller; of turns that are not over, the seconds so far."""
        now = self._clock()
        return self._used[caller] + sum(now - turn.began for turn in self._held.get(caller, ()))
