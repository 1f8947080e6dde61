"""The judges and plans of one configuration, on an event loop in a separate thread."""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from ..errors import ConfigurationError
from ..llm.providers import providers
from ..settings import CLIENT_VARIABLES, Settings
from ..usecases.building import deployed
from ..usecases.deployment import Deployment

Answer = TypeVar("Answer")


def own_settings(environment: Mapping[str, str]) -> Settings:
    """Read the settings of an environment that may hold variables of the command line too. Raises ConfigurationError."""
    known = {name: text for name, text in environment.items() if name not in CLIENT_VARIABLES}
    return Settings.from_environment(known, {one.name: one.key for one in providers().values()})


def for_operator(settings: Settings) -> Settings:
    """Return the settings with every judge allowed: those of a caller who is the operator."""
    allowed = ("builtin", *(f"{name}:*" for name in (*providers(), *settings.upstreams)))
    return settings.model_copy(update={"judges": allowed})


class Evaluator:
    """Judges as the settings say; without `judges` every model may be named. Raises ConfigurationError for wrong settings."""

    def __init__(self, settings: Settings) -> None:
        if not settings.judges:
            settings = for_operator(settings)
        # One loop for all calls: clients of providers belong to the loop that they began on.
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        self._opened: Future[Deployment] = Future()
        self._thread = threading.Thread(target=self._run, args=[settings], name="crs-eval", daemon=True)
        self._thread.start()
        self.deployment = self._opened.result()

    def submit(self, work: Coroutine[Any, Any, Answer]) -> Future[Answer]:
        """Start work on the evaluator's loop; cancelling the future cancels the work."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Cancel the work that runs, close every connection and end the thread."""
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    def _run(self, settings: Settings) -> None:
        # The runner cancels all that is left on its loop, so that no caller waits for ever.
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(settings))

    async def _serve(self, settings: Settings) -> None:
        try:
            async with deployed(settings) as deployment:
                self._opened.set_result(deployment)
                await self._closing.wait()
                for task in asyncio.all_tasks() - {asyncio.current_task()}:
                    task.cancel()
        except Exception as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)


_evaluators: list[tuple[Settings | None, Evaluator]] = []
_lock = threading.Lock()


def evaluator(settings: Settings | None) -> Evaluator:
    """Return the evaluator of these settings, made at their first use; None reads the environment as the service does."""
    if not isinstance(settings, Settings | None):
        raise ConfigurationError(
            f"`settings` is a {type(settings).__name__}; pass crs_eval.settings.Settings"
        )
    with _lock:
        for known, made in _evaluators:
            if known == settings:
                return made
        made = Evaluator(settings or own_settings(os.environ))
        _evaluators.append((settings, made))
        return made


def close() -> None:
    """Close all connections to language models, and cancel the calls that run. The next call reads the environment again."""
    with _lock:
        while _evaluators:
            _evaluators.pop()[1].close()


atexit.register(close)
os.register_at_fork(after_in_child=_evaluators.clear)  # threads stay in the parent
