"""Limit of the threads that numpy's libraries compute with: they spin while they wait, and take the cores of other work."""

import threading
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


class OneThread:
    """A context in which products of matrices take one thread. Several threads may be inside at a time. Once the last one leaves,
    the setting of the process holds again: a program that imports this package keeps its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._take_control()
                self._limits = self._libraries.limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._take_control()
                self._limits.restore_original_limits()
                self._take_control()

    @staticmethod
    def _take_control() -> None:
        """Let this thread set the limit: threadpoolctl ignores every thread but the first one that set it."""
        from threadpoolctl import OpenBLASController

        OpenBLASController.clear_controlling_thread(force=True)

    @cached_property
    def _libraries(self) -> "ThreadpoolController":
        """The libraries of numpy, found at first use. It takes some milliseconds, and threadpoolctl sets a variable of the
        environment when it is imported."""
        import numpy  # noqa: F401 - so that they are loaded
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()


ONE_THREAD = OneThread()
