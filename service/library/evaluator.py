"""The judges and plans of one configuration, on an event loop in a separate thread."""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from ..errors import ConfigurationError
from ..llm.providers import providers
from ..settings import CLIENT_VARIABLES, Settings
from ..usecases.building import deployed, upstreams_of

Answer = TypeVar("Answer")


class Evaluator:
    """Everything that judges as the settings say. Without `judges` every configured upstream may be named, since the
    program's author is the operator. Raises ConfigurationError for settings that do not work."""

    def __init__(self, settings: Settings) -> None:
        if not settings.judges:
            allowed = ("builtin", *(f"{name}:*" for name in upstreams_of(settings)))
            settings = settings.model_copy(update={"judges": allowed})
        # One loop for all calls: clients of providers belong to the loop that they began on.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="crs-eval", daemon=True)
        self._thread.start()
        self._opened = deployed(settings)
        try:
            self.deployment = self.submit(self._opened.__aenter__()).result()
        except ConfigurationError:
            self._stop()
            raise

    def submit(self, work: Coroutine[Any, Any, Answer]) -> Future[Answer]:
        """Start work on the evaluator's loop; cancelling the future cancels the work."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Close every connection and end the thread."""
        self.submit(self._opened.__aexit__(None, None, None)).result()
        self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


_evaluators: list[tuple[Settings | None, Evaluator]] = []
_lock = threading.Lock()


def evaluator(settings: Settings | None) -> Evaluator:
    """Return the evaluator of these settings, made at their first use; None reads the environment as the service does."""
    with _lock:
        for known, made in _evaluators:
            if known == settings:
                return made
        keys = {one.name: one.key for one in providers().values()}
        environment = {name: text for name, text in os.environ.items() if name not in CLIENT_VARIABLES}
        made = Evaluator(settings or Settings.from_environment(environment, keys))
        _evaluators.append((settings, made))
        return made


def close() -> None:
    """Close all connections to language models. The next call reads the environment again."""
    with _lock:
        while _evaluators:
            _evaluators.pop()[1].close()


atexit.register(close)
os.register_at_fork(after_in_child=_evaluators.clear)  # threads stay in the parent
