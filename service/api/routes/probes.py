"""`GET /healthz` and `GET /readyz`, for orchestrators."""

from fastapi import APIRouter
from pydantic import Field

from ...usecases.wire.model import Outgoing
from ..deployment import CurrentDeployment

router = APIRouter(tags=["operations"])


class Health(Outgoing):
    """The process answers."""

    status: str = Field(examples=["ok"])
    version: str


class Readiness(Outgoing):
    """The service can take requests."""

    status: str = Field(examples=["ready"])
    factors: int = Field(description="Number of factors that are loaded.")
    catalogs: list[str] = Field(description="Catalogues that requests can name.")
    default_judge: str


@router.get("/healthz", summary="Is the process alive?", response_model=Health)
async def get_health() -> Health:
    """Answers as long as the process does; asks nothing of anything else."""
    from ... import __version__

    return Health(status="ok", version=__version__)


@router.get("/readyz", summary="Can it take requests?", response_model=Readiness)
async def get_readiness(deployment: CurrentDeployment) -> Readiness:
    """Answers once the factors and catalogues are loaded. A cache that is down does not make the
    service unready: losing it loses no answer."""
    return Readiness(
        status="ready",
        factors=len(deployment.factors),
        catalogs=sorted(deployment.catalogues),
        default_judge=str(deployment.judges.default),
    )
