"""Services that the routes work with, built once by the app and handed to them by the lifespan."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache

from ..catalogue.catalogue import Catalogue
from ..debates.roles import DebateRole
from ..domain.calibration import CalibrationMap
from ..domain.caller import ApiKey, Scope
from ..domain.completion import CacheEntry, CacheMode, Call
from ..domain.modes import Judging
from ..domain.rubric import Factor, Protocol
from ..domain.verdict import JudgeName
from ..errors import Forbidden, InvalidRequest
from ..factors import FactorCatalogue
from ..judges.evaluation import Judge
from ..registry import Registry
from ..simulators.machine import UserPolicy
from ..simulators.recommender import Recommender, ReplyMemory
from .parsing import Limits


class Judges:
    """The judges of this deployment. `allowed` holds names or patterns (`openai:*`); `build` makes
    a judge at its first use and is asked once for each name."""

    def __init__(
        self,
        default: JudgeName,
        by_factor: Mapping[str, JudgeName],
        allowed: Iterable[str],
        build: Callable[[JudgeName], Judge],
    ) -> None:
        self.default = default
        self._by_factor = dict(by_factor)
        self.allowed = tuple(dict.fromkeys(allowed))
        self._built = cache(build)

    def named(self, text: str, pointer: str) -> JudgeName:
        """The judge that a caller names. Raises InvalidRequest where it is not allowed, or its upstream is not configured."""
        fix = f"name one of: {', '.join(self.allowed)}"
        try:
            name = JudgeName.parse(text)
        except ValueError as error:
            raise InvalidRequest.at(pointer, str(error), fix) from None
        if not any(fnmatchcase(text, pattern) for pattern in self.allowed):
            raise InvalidRequest.at(pointer, "is not configured, or not allowed by CRS_EVAL_JUDGES", fix)
        try:
            self.get(name)
        except InvalidRequest as error:
            unknown = error.errors[0]
            raise InvalidRequest.at(pointer, unknown.detail, unknown.fix) from None
        return name

    def of(self, factor: Factor) -> JudgeName:
        return self._by_factor.get(factor.slug, self.default)

    def get(self, name: JudgeName) -> Judge:
        return self._built(name)


@dataclass(frozen=True)
class JudgingModes:
    """The way in which this deployment has models answer: `judging` unless `by_factor` says otherwise."""

    judging: Judging = Judging.RATING
    by_factor: Mapping[str, Judging] = field(default_factory=dict)

    def of(self, factor: Factor) -> Judging:
        """The deployment's way for a factor. Without a ladder, or without faults that lower it, it is rated."""
        wanted = self.by_factor.get(factor.slug, self.judging)
        return wanted if allows(factor, wanted) else Judging.RATING


def allows(factor: Factor, judging: Judging) -> bool:
    """Return whether a factor can be judged in a way: lists need its ladder, and faults lower the factors of CoRE alone."""
    match judging:
        case Judging.RATING:
            return True
        case Judging.ITEMISED:
            return factor.itemised is not None
        case Judging.FAULTS:
            return factor.protocol is Protocol.CORE


@dataclass(frozen=True)
class Deployment:
    """Everything a route needs. `judges` are those that callers may name, `registry` makes whatever else asks a model.
    `modes` is how models answer; `memory` keeps what recommenders reply, where the operator wants that; `namespaces`: each key has
    a separate cache. `caller` is the key that came with the request, None where the service asks for none. `user` plays in place of
    the `simulator` that a request names."""

    factors: FactorCatalogue
    judges: Judges
    catalogues: Mapping[str, Catalogue]
    calibrations: Mapping[str, Sequence[CalibrationMap]]
    limits: Limits
    registry: Registry
    roles: Mapping[str, DebateRole]
    judge_by_role: Mapping[str, JudgeName]
    recommenders: Mapping[str, Recommender]
    memory: ReplyMemory | None = None
    modes: JudgingModes = field(default_factory=JudgingModes)
    namespaces: bool = False
    caller: ApiKey | None = None
    user: UserPolicy | None = None

    def call(self, cache: CacheMode | None, entries: list[CacheEntry] | None = None) -> Call:
        """Return how models are asked for this caller, until this deployment's time for an answer is up. Raises Forbidden for a
        key that may not replace what the cache holds."""
        cache = cache or CacheMode.USE
        if cache is CacheMode.REFRESH and self.caller and Scope.REFRESH not in self.caller.scopes:
            raise Forbidden(
                f"The key {self.caller.name!r} may not replace answers that the cache holds; it lacks the scope 'refresh'. "
                "Send `cache: use`, or `off` for an answer that is not shared."
            )
        deadline = asyncio.get_running_loop().time() + self.limits.seconds
        namespace = self.caller.name if self.namespaces and self.caller else ""
        return Call(deadline=deadline, cache=cache, entries=entries, namespace=namespace)
