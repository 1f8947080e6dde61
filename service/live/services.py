"""Services that the routes of `crs-eval live` work with."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from ..api.body import Limits
from ..store.conversations.protocol import Conversations
from .outputs.output import Output
from .users import NO_KEY, UserKey


@dataclass(frozen=True)
class LiveServices:
    """Everything a route needs."""

    conversations: Conversations
    limits: Limits
    user_key: UserKey = NO_KEY
    outputs: Sequence[Output] = ()
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    @contextlib.asynccontextmanager
    async def turn_to_read(self) -> AsyncIterator[None]:
        """Let one body at a time be parsed, with a turn of the loop before it: probes are answered between two bodies."""
        async with self._reading:
            await asyncio.sleep(0)
            yield


async def _services(request: Request) -> LiveServices:
    services = request.state.live
    assert isinstance(services, LiveServices)
    return services


Here = Annotated[LiveServices, Depends(_services)]
