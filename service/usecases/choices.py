"""The names that a request may use."""

from pydantic import Field

from ..importing.formats import AUTO, format_names
from ..text import language
from .deployment import Deployment
from .wire.factor import FactorInfo, FactorsAnswer
from .wire.model import Outgoing


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


def factors_of(deployment: Deployment) -> FactorsAnswer:
    """Return every factor of a deployment with its rubric."""
    return FactorsAnswer(factors=[FactorInfo.of(factor) for factor in deployment.factors.values()])


def choices_of(deployment: Deployment) -> Choices:
    """Return what callers of a deployment may name."""
    return Choices(
        default_judge=str(deployment.judges.default),
        judges=list(deployment.judges.allowed),
        roles=list(deployment.roles),
        recommenders=sorted(deployment.recommenders),
        catalogs=sorted(deployment.catalogues),
        languages=list(language.READ),
        formats=[AUTO, *format_names()],
    )
