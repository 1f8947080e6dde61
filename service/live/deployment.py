"""Services that the routes of `crs-eval live` work with."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import structlog
from fastapi import Depends, Request

from ..errors import Overloaded
from ..store.conversations.protocol import Conversations, Full, Unreachable
from ..usecases.parsing import Limits
from .outputs.output import Output
from .users import NO_KEY, UserKey

RETRY_AFTER = 2.0
log = structlog.get_logger("crs_eval.live")


@dataclass(frozen=True)
class LiveDeployment:
    """Everything a route needs."""

    conversations: Conversations
    limits: Limits
    user_key: UserKey = NO_KEY
    outputs: Sequence[Output] = ()
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    @contextlib.asynccontextmanager
    async def turn_to_read(self) -> AsyncIterator[None]:
        """Let callers parse one body at a time, each after a turn of the loop, so that probes are
        answered."""
        async with self._reading:
            await asyncio.sleep(0)
            yield


async def _deployment(request: Request) -> AsyncIterator[LiveDeployment]:
    """Yield the deployment. If the store fails, log it and let the route answer with a problem: nothing was
    acknowledged, so nothing was lost."""
    try:
        yield request.state.live
    except Unreachable as error:
        log.warning("store_unreachable", reason=str(error))
        state = "is full" if isinstance(error, Full) else "does not answer"
        raise Overloaded(
            f"The store of open conversations {state}. Send the request again; with message ids, a repeat changes nothing.",
            retry_after=RETRY_AFTER,
        ) from None


CurrentDeployment = Annotated[LiveDeployment, Depends(_deployment)]
