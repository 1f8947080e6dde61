"""The time that tests wait for what should happen soon. Machines that run them may be shared, slow, or
stand still for seconds: a wait this long ends only where something is broken, so that no test fails for
the machine alone."""

import asyncio
import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds."""

REDIS_TIMEOUT = 30.0
"""Seconds that Redis gets for an answer where it is there all the time; leases last 2.8 times as long."""


def wait_for(holds: Callable[[], object], otherwise: Callable[[], object] = str) -> None:
    """Return once this holds. Raises AssertionError, with what `otherwise` says, where it does not in `PATIENCE`."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, otherwise()
        time.sleep(0.02)


async def until(holds: Callable[[], object]) -> None:
    """Return once this holds. Raises TimeoutError where it does not in `PATIENCE`."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - other threads and processes make it so
            await asyncio.sleep(0.01)
