"""Poll a store, so that its outage and recovery are noticed even without requests."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from .protocol import Store

OFTEN: Final = 2.0
"""Seconds between two looks."""


@contextlib.asynccontextmanager
async def watched(store: Store) -> AsyncIterator[None]:
    """Ping the store repeatedly; it logs and counts the outcomes."""

    async def watch() -> None:
        while True:
            await store.ping()
            await asyncio.sleep(OFTEN)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
