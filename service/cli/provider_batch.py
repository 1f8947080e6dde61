"""A run whose prompts go through the batch APIs of providers: judged in passes, each from the answers of the batches before."""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ..library.evaluator import own_settings
from ..llm.provider import BatchError
from ..usecases.building import build_stack
from .connection import PREFIX
from .exits import CommandError, Exit
from .run import Journal, RunOutcome


@dataclass(frozen=True)
class ProviderBatch:
    """The prompts of a run and their answers, in two files beside its results. Both hold conversation text."""

    out: Path

    @property
    def book(self) -> Path:
        """Return where the prompts and batches of the run are noted until it is complete."""
        return self.out.with_name(f"{self.out.name}.batch")

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings of a service that notes prompts and sends none."""
        own = {f"{PREFIX}PROVIDER_BATCH": str(self.book.resolve()), f"{PREFIX}CACHE_BYTES": str(1 << 40)}
        if not os.environ.keys() & {f"{PREFIX}REDIS_URL", f"{PREFIX}CACHE_FILE"}:
            own[f"{PREFIX}CACHE_FILE"] = str(self.out.resolve().with_name(f"{self.out.name}.answers"))
        return own

    def run(self, ask: Callable[[], RunOutcome], console: Console) -> RunOutcome:
        """Judge all logs again and again, until no prompt of theirs lacks an answer."""
        journal = Journal(self.out)
        outcome = ask()
        while outcome.halt is None and self._answer_noted(console):
            journal.remove()  # it was judged without these answers
            outcome = ask()
        if outcome.halt is None:
            self.book.unlink()
        return outcome

    def _answer_noted(self, console: Console) -> bool:
        """Send what the service noted and wait for the answers, which may take a day. Returns False where nothing was noted.
        Raises CommandError where a provider takes no batch."""

        async def work() -> bool:
            stack = build_stack(own_settings({**os.environ, **self.settings}))
            try:
                return await stack.answer_noted(lambda line: console.print(line, markup=False))
            finally:
                await stack.aclose()

        again = "Run the same command again to continue; it pays for nothing twice."
        try:
            return asyncio.run(work())
        except BatchError as error:
            raise CommandError(f"{error}. {again}", Exit.FAILED) from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {again}", Exit.INTERRUPTED) from None
