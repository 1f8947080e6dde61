"""Services that the routes work with, built once by the app and handed to them by the lifespan."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import Depends, Request

from ..catalogue.catalogue import Catalogue
from ..domain.calibration import CalibrationMap
from ..domain.caller import ApiKey, Scope
from ..domain.completion import CacheEntry, CacheMode, Call
from ..errors import Forbidden
from ..factors import FactorCatalogue
from .plans.judges import Judges
from .plans.ways import Ways


@dataclass(frozen=True)
class Limits:
    """Limits of one request; see the settings of the same names."""

    body: int
    messages: int
    depth: int
    list_cutoff: int
    seconds: float


@dataclass(frozen=True)
class Services:
    """Everything a route needs. `caller` is the key that came with the request, None where the service asks for none;
    `ways` is how models answer; `namespaces`: each key has a cache of its own."""

    factors: FactorCatalogue
    judges: Judges
    catalogues: Mapping[str, Catalogue]
    calibrations: Mapping[str, Sequence[CalibrationMap]]
    limits: Limits
    ways: Ways = field(default_factory=Ways)
    namespaces: bool = False
    caller: ApiKey | None = None

    def call(self, cache: CacheMode | None, entries: list[CacheEntry] | None = None) -> Call:
        """Return how models are asked for this caller, until this deployment's time for an answer is up. Raises Forbidden for a
        key that may not replace what the cache holds."""
        cache = cache or CacheMode.USE
        if cache is CacheMode.REFRESH and self.caller and Scope.REFRESH not in self.caller.scopes:
            raise Forbidden(
                f"The key {self.caller.name!r} may not replace answers that the cache holds; it lacks the scope 'refresh'. "
                "Send `cache: use`, or `off` for an answer that nobody else gets."
            )
        deadline = asyncio.get_running_loop().time() + self.limits.seconds
        namespace = self.caller.name if self.namespaces and self.caller else ""
        return Call(deadline=deadline, cache=cache, entries=entries, namespace=namespace)


async def _services(request: Request) -> Services:
    services = request.state.services
    assert isinstance(services, Services)
    key = request.scope["state"].get("api_key")
    return services if key is None else replace(services, caller=key)


Here = Annotated[Services, Depends(_services)]
