"""`GET /healthz`, `GET /readyz` and `GET /openapi.json` of `crs-eval live`."""

from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field

from ...api.openapi_parts import problems
from ...usecases.wire.model import Outgoing
from ..deployment import CurrentDeployment

router = APIRouter(tags=["operations"])


class LiveHealth(Outgoing):
    """The process answers."""

    status: str = Field(examples=["ok"])
    version: str


class LiveLevel(Outgoing):
    """The amounts that wait."""

    open: int = Field(description="Conversations that are not judged yet.")
    due: int = Field(description="Those of them that are to be judged now.")
    queued: int = Field(description="Posts that no worker has taken yet.")
    undelivered: int = Field(description="Events that the slowest output has not taken yet.")
    dead_letters: int = Field(description="Posts, conversations and events that were set aside.")
    oldest_due: float = Field(description="Seconds since the oldest due conversation became due.")


class LiveReadiness(LiveLevel):
    """Messages can be taken."""

    status: str = Field(examples=["ready"])


@router.get("/healthz", summary="Is the process alive?")
async def get_health() -> LiveHealth:
    """Answers as long as the process does; asks nothing of anything else."""
    from ... import __version__

    return LiveHealth(status="ok", version=__version__)


@router.get("/readyz", summary="Can it take messages?", responses=problems(503))
async def get_readiness(deployment: CurrentDeployment) -> LiveReadiness:
    """Answers with what waits where. A store that does not answer makes it unready: nothing could be taken safely."""
    level = await deployment.conversations.level()
    return LiveReadiness(status="ready", **dict(LiveLevel.of(level)))


@router.get("/openapi.json", summary="The contract")
async def get_contract(request: Request) -> dict[str, Any]:
    """This document."""
    contract: dict[str, Any] = request.app.openapi()
    return contract
