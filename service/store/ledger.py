"""Book what an upstream was asked for in the last minute, and decide whether it may be asked again."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

SLOTS = 60
"""Spending is remembered in so many parts of a window."""

LIVE = SLOTS + 2
"""Parts that count: the window, the one that has begun, and one for calls that leave late."""

RECOVERY = 2.0
"""Windows in which the pace comes back from nothing to all."""

LEAST_PACE = 1 / 16
CLOSE = 1e-6
"""The loss that floats may have."""

LONGEST_PAUSE = 5.0
"""Windows that a provider can stop everyone for, whatever it says."""

REPLICA_WINDOWS = 10
"""A replica that asked for nothing for so many windows shares no more."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of one upstream in any `window` seconds, by all replicas together; None: as much as
    anyone wants."""

    calls: int | None = None
    tokens: int | None = None
    window: float = 60.0

    def part(self, replicas: int, tokens: int) -> "Budget":
        """One replica's share, but never too little for a single call of so many tokens."""
        calls = None if self.calls is None else max(1, self.calls // replicas)
        share = None if self.tokens is None else max(min(tokens, self.tokens), self.tokens // replicas)
        return Budget(calls, share, self.window)


@dataclass(frozen=True, slots=True)
class Ask:
    """A wish for one call of about `tokens`, by a replica that made `owed_calls` while nobody booked them."""

    budget: Budget
    tokens: int
    replica: str = ""
    owed_calls: int = 0
    owed_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Grant:
    """`wait` is 0 where the call was booked (in `slot`), else the seconds after which to ask again: infinite
    for what the whole budget does not hold. `replicas` share the budget just now."""

    wait: float
    slot: int = 0
    replicas: int = 1


class Ledger:
    """The books of one upstream. A call is granted only if it and all that was granted in any window
    before it stay within the budget times the pace. The pace halves when the provider complains
    (`ease`), at most once a slot, and comes back evenly. `clock` is in seconds and never goes back.
    `kept` is what `dump` returned."""

    def __init__(self, window: float, clock: Callable[[], float], kept: bytes | None = None) -> None:
        self._window = window
        self._width = window / SLOTS
        self._clock = clock
        state = json.loads(kept) if kept else {}
        self._spent: dict[int, list[int]] = {
            int(slot): entry for slot, entry in state.get("spent", {}).items()
        }
        self._replicas: dict[str, float] = state.get("replicas", {})
        self._paused: float = state.get("paused", -math.inf)
        self._pace: float = state.get("pace", 1.0)
        self._paced: float = state.get("paced", -math.inf)

    def dump(self) -> bytes:
        """Return the books as JSON."""
        names = ("spent", "replicas", "paused", "pace", "paced")
        return json.dumps({name: getattr(self, f"_{name}") for name in names}).encode()

    def take(self, ask: Ask) -> Grant:
        """Book the call if there is room for it."""
        now = self._clock()
        recent = {who: at for who, at in self._replicas.items() if at > now - REPLICA_WINDOWS * self._window}
        self._replicas = {**recent, ask.replica: now}
        replicas = len(self._replicas)
        if ask.owed_calls or ask.owed_tokens:
            self.book(ask.owed_tokens, ask.owed_calls)
        calls, tokens = self.spent()
        wait = max(0.0, self._paused - now)
        for index, limit, cost, spent in (
            (0, ask.budget.calls, 1, calls),
            (1, ask.budget.tokens, ask.tokens, tokens),
        ):
            if limit is not None and cost > limit:
                return Grant(math.inf, replicas=replicas)
            if limit is not None:
                wait = max(wait, self._until(index, limit, cost, spent))
        return Grant(wait, 0 if wait else self.book(ask.tokens), replicas)

    def book(self, tokens: int, calls: int = 1) -> int:
        """Write down what was spent now. Returns the slot that it stands in."""
        slot = int(self._clock() / self._width)
        entry = self._spent.setdefault(slot, [0, 0])
        entry[0] += calls
        entry[1] += tokens
        return slot

    def settle(self, slot: int, tokens: int) -> None:
        """Correct an estimate by so many tokens, up or down, while it still counts."""
        if entry := self._spent.get(slot):
            entry[1] = max(0, entry[1] + tokens)

    def ease(self, pause: float) -> None:
        """The provider complained, and wants nothing for `pause` seconds."""
        now = self._clock()
        if now - self._paced >= self._width:
            self._pace = max(LEAST_PACE, self.pace() / 2)
            self._paced = now
        self._paused = max(self._paused, now + min(pause, LONGEST_PAUSE * self._window))

    def pace(self) -> float:
        """The part of the budget that may be used now."""
        return min(1.0, self._pace + (self._clock() - self._paced) / (RECOVERY * self._window))

    def spent(self) -> tuple[int, int]:
        """Calls and tokens of the last window."""
        oldest = int(self._clock() / self._width) - LIVE
        for slot in [slot for slot in self._spent if slot <= oldest]:
            del self._spent[slot]
        return sum(calls for calls, _ in self._spent.values()), sum(t for _, t in self._spent.values())

    def clear(self) -> None:
        """Forget what was spent."""
        self._spent.clear()

    def _until(self, index: int, limit: int, cost: int, spent: int) -> float:
        """Seconds until there is room: old spending leaves, or the pace comes back."""
        pace = self.pace()
        room = max(1, math.floor(limit * pace + CLOSE))
        if spent + cost <= room:
            return 0.0
        now = self._clock()
        waits = [LIVE * self._width]
        if spent + cost <= limit:
            waits.append(((spent + cost) / limit - pace) * RECOVERY * self._window)
        for slot in sorted(self._spent):
            spent -= self._spent[slot][index]
            if spent + cost <= room:
                waits.append((slot + LIVE) * self._width - now)
                break
        return max(min(waits), self._width / 10)
