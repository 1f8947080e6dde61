"""Room that callers share: one may hold no more than is left free for the others."""

from collections import Counter
from collections.abc import Callable


class Shares:
    """Room for `most`. Where it is `shared`, a caller is let in only if what it then holds is no more than what was free:
    alone it gets half of the room, and whoever comes next finds some. `cost` says what else a caller's load is, in the
    same measure; the larger of both counts."""

    def __init__(self, most: int, *, shared: bool, cost: Callable[[str], float] = lambda _: 0.0) -> None:
        self._most = most
        self._shared = shared
        self._cost = cost
        self._held: Counter[str] = Counter()
        self.total = 0

    def fits(self, who: str, amount: int) -> bool:
        """Return whether a caller may take so much more."""
        if self.total + amount > self._most:
            return False
        if not self._shared:
            return True
        free = self._most - sum(self._load(other) for other in self._held)
        return self._load(who) + amount <= free or not self._load(who)

    def take(self, who: str, amount: int) -> None:
        """Count what a caller holds."""
        self._held[who] += amount
        self.total += amount

    def give_back(self, who: str, amount: int) -> None:
        """Count what a caller holds no more."""
        self._held[who] -= amount
        self.total -= amount
        if self._held[who] <= 0:
            del self._held[who]

    def _load(self, who: str) -> float:
        return max(self._held[who], self._cost(who))
