"""Services that the routes of `crs-eval live` work with."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from ..api.services import Limits
from ..store.conversations.protocol import Conversations


@dataclass(frozen=True)
class LiveServices:
    """Everything a route needs."""

    conversations: Conversations
    limits: Limits


async def _services(request: Request) -> LiveServices:
    services = request.state.live
    assert isinstance(services, LiveServices)
    return services


Here = Annotated[LiveServices, Depends(_services)]
