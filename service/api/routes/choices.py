"""`GET /choices`: what a request may name in this deployment."""

from fastapi import APIRouter
from pydantic import Field

from ...importing.formats import AUTO, format_names
from ...text import language
from ..deployment import CurrentDeployment
from ..openapi_parts import problems
from ..wire.model import Outgoing

router = APIRouter(tags=["factors"])


class Choices(Outgoing):
    """Names alone: no address, no key."""

    default_judge: str = Field(description="The judge of a request that names none.", examples=["builtin"])
    judges: list[str] = Field(examples=[["builtin", "openai:*"]])
    """Values of `judge`: names, and patterns such as `openai:*` for all models of one server."""
    roles: list[str] = Field(description="Roles that can debate.")
    recommenders: list[str] = Field(examples=[["harbour"]])
    """Values of `crs` in a simulated session."""
    catalogs: list[str] = Field(description="Values of `catalog`.", examples=[["films"]])
    languages: list[str] = Field(examples=[["en"]])
    """Languages that the judge `builtin` reads (BCP 47). A model reads those that it was trained on."""
    formats: list[str] = Field(examples=[["auto", "chat", "csv"]])
    """Values of `format` of `/import`."""


@router.get(
    "/choices", summary="List what requests may name", response_model=Choices, responses=problems(500)
)
async def list_choices(deployment: CurrentDeployment) -> Choices:
    """The judges, roles, recommenders and catalogues that the operator lets callers name: what a form
    offers. The names of factors are those of `GET /factors`."""
    return Choices(
        default_judge=str(deployment.judges.default),
        judges=list(deployment.judges.allowed),
        roles=list(deployment.roles),
        recommenders=sorted(deployment.recommenders),
        catalogs=sorted(deployment.catalogues),
        languages=list(language.READ),
        formats=[AUTO, *format_names()],
    )
