"""Progress of a run: done, rate, cost, time left; on a terminal as a bar, elsewhere now and then as a
line."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

SECONDS_BETWEEN_LINES = 15.0


class RunProgress:
    """Told of each conversation that is done."""

    def __init__(self, console: Console, label: str, total: int, done: int = 0) -> None:
        self._console = console
        self._label = label
        self._total = total
        self._before = done
        self._done = done
        self._cost: float | None = None
        self._begun = self._told = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        if self._before:
            self._console.print(f"{self._before} of {self._total} conversations were done before.")
        if self._console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rest]}"),
            )
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=self._total, completed=self._done, rest="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def advance(self, cost: float | None) -> None:
        """One more is done, for this much."""
        self._done += 1
        if cost is not None:
            self._cost = (self._cost or 0.0) + cost
        now = time.monotonic()
        if self._bar:
            self._bar.update(self._task, completed=self._done, rest=self._rest(now))
        elif now - self._told >= SECONDS_BETWEEN_LINES:
            self._told = now
            self._console.print(f"{self._label}: {self._done} of {self._total}, {self._rest(now)}")

    def _rest(self, now: float) -> str:
        rate = (self._done - self._before) / max(now - self._begun, 1e-9)
        left = (self._total - self._done) / rate if rate else 0.0
        cost = f", cost {self._cost:.4g}" if self._cost is not None else ""
        return f"{rate:.3g}/s{cost}, {spoken(left)} left"


def spoken(seconds: float) -> str:
    """A duration for people: 42 s, 3 min, 1 h 5 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
