"""What the routes work with, built once by the app and handed to them by the lifespan."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from ..factors import FactorCatalogue
from ..text.catalogue import Catalogue
from .judges import Judges


@dataclass(frozen=True)
class Limits:
    """What one request may ask for; see the settings of the same names."""

    body: int
    messages: int
    depth: int
    list_cutoff: int
    seconds: float


@dataclass(frozen=True)
class Services:
    """Everything a route needs."""

    factors: FactorCatalogue
    judges: Judges
    catalogues: Mapping[str, Catalogue]
    limits: Limits


async def _services(request: Request) -> Services:
    services = request.state.services
    assert isinstance(services, Services)
    return services


Here = Annotated[Services, Depends(_services)]
