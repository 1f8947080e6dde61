"""Progress of a run: a bar on a terminal, elsewhere a line now and then."""

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 15.0


@contextlib.contextmanager
def run_progress(
    console: Console, label: str, total: int, done: int = 0
) -> Iterator[Callable[[float | None], None]]:
    """Show how far a run is, of which `done` was done before. Yields what to call with the cost of each conversation."""
    if done:
        console.print(f"{done} of {total} conversations were done before.")
    cost = TextColumn("{task.fields[cost]}")
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), cost
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total, completed=done, cost="")
        spent, printed = 0.0, time.monotonic()

        def advance(cost: float | None) -> None:
            nonlocal done, spent, printed
            done += 1
            spent += cost or 0.0
            shown = f"cost {spent:.4g}" if spent else ""
            bar.update(task, completed=done, cost=shown)
            if not console.is_terminal and time.monotonic() - printed >= SECONDS_BETWEEN_LINES:
                printed = time.monotonic()
                console.print(f"{label}: {done} of {total}{shown and ', '}{shown}")

        yield advance
