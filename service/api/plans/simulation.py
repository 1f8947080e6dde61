"""A request to simulate, checked against this deployment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from ...catalogue.catalogue import Catalogue
from ...domain.verdict import JudgeName
from ...errors import InvalidRequest
from ...simulators.asker import Asker
from ...simulators.machine import Mind
from ...simulators.persona import PersonaUser
from ...simulators.recommender import Recommender, ReplyLimits
from ...simulators.scripted import Scripted
from ...simulators.target import Target
from ...simulators.target_free import TargetFree
from ..services import Services
from ..wire.simulate import SimulateRequest, Simulator, SimulatorType
from .scoring import named_catalogue

BUILTIN = "builtin"
KNOWS: Mapping[SimulatorType, frozenset[str]] = {
    SimulatorType.TARGET: frozenset({"judge", "seed", "min_rounds", "max_rounds", "list_cutoff"}),
    SimulatorType.PERSONA: frozenset({"judge", "seed", "max_rounds"}),
    SimulatorType.TARGET_FREE: frozenset({"judge", "seed", "max_rounds", "items_on_screen"}),
    SimulatorType.SCRIPTED: frozenset({"seed", "max_rounds"}),
    SimulatorType.PARAPHRASE: frozenset({"judge", "seed", "count"}),
}


@dataclass(frozen=True)
class SimulationPlan:
    """What the routes of simulated users need beside `Services`: the recommenders that callers may
    name, the models that can play a user (by name and seed), and which of them take a seed."""

    recommenders: Mapping[str, Recommender]
    asker_of: Callable[[JudgeName, int | None], Asker]
    takes_seed: Callable[[JudgeName], bool]
    limits: ReplyLimits = field(default_factory=ReplyLimits)


async def _simulating(request: Request) -> SimulationPlan:
    simulating = request.state.simulating
    assert isinstance(simulating, SimulationPlan)
    return simulating


Simulations = Annotated[SimulationPlan, Depends(_simulating)]


def mind_of(body: SimulateRequest, here: Services, there: SimulationPlan) -> Mind:
    """The simulated user of a request. Raises InvalidRequest for a field that its type does not
    know, and for a model that is not to be had here."""
    asked = body.simulator
    check_fields(asked)
    catalogue = named_catalogue(body.catalog, here)
    seed = asked.seed or 0
    given = {"max_rounds": asked.max_rounds} if asked.max_rounds is not None else {}
    match asked.type:
        case SimulatorType.SCRIPTED:
            return Scripted(seed, catalogue=catalogue, **given)
        case SimulatorType.PERSONA:
            return PersonaUser(player_of(asked, here, there), seed, catalogue=catalogue, **given)
        case SimulatorType.TARGET_FREE:
            screen = {} if asked.items_on_screen is None else {"items_on_screen": asked.items_on_screen}
            return TargetFree(player_of(asked, here, there), seed, catalogue=catalogue, **given, **screen)
        case SimulatorType.TARGET:
            return _target(asked, player_of(asked, here, there), catalogue, here)
        case SimulatorType.PARAPHRASE:
            raise AssertionError("rewordings are made by no mind")


def _target(asked: Simulator, asker: Asker, catalogue: Catalogue | None, here: Services) -> Target:
    plain = Target(asker)
    low = asked.min_rounds if asked.min_rounds is not None else min(plain.min_rounds, asked.max_rounds or 3)
    high = asked.max_rounds if asked.max_rounds is not None else max(plain.max_rounds, low)
    if low > high:
        fix = "send `min_rounds` no greater than `max_rounds`"
        raise InvalidRequest.at("/simulator/min_rounds", f"{low} rounds at least, but {high} at most", fix)
    cutoff = asked.list_cutoff or here.limits.list_cutoff
    return Target(asker, asked.seed or 0, low, high, cutoff, catalogue)


def check_fields(asked: Simulator) -> None:
    """Raises InvalidRequest for a field that the simulator's type does not know."""
    for name in sorted(asked.model_fields_set - {"type"}):
        if getattr(asked, name) is not None and name not in KNOWS[asked.type]:
            knows = ", ".join(sorted(KNOWS[asked.type]))
            detail = f"a `{asked.type}` simulator has no such setting"
            raise InvalidRequest.at(f"/simulator/{name}", detail, f"leave it out; it knows {knows}")


def player_of(asked: Simulator, here: Services, there: SimulationPlan) -> Asker:
    """The model that plays the user, with the request's seed. Raises as `model_of` does."""
    return model_of(asked.judge, here, there, asked.seed)


def model_of(
    judge: str | None,
    here: Services,
    there: SimulationPlan,
    seed: int | None = None,
    pointer: str = "/simulator/judge",
) -> Asker:
    """The model that a caller names. Raises InvalidRequest where none is named or to be had."""
    name = here.judges.named(judge, pointer) if judge is not None else here.judges.default
    if name.name == BUILTIN:
        fix = "name a model that the operator allows as `name:model`, or use the `scripted` simulator"
        raise InvalidRequest.at(pointer, "the embedded judge cannot play a user", fix)
    return there.asker_of(name, seed)


def recommender_of(name: str, there: SimulationPlan) -> Recommender:
    """The recommender that a caller names. Raises InvalidRequest where the operator has none such."""
    if name not in there.recommenders:
        known = ", ".join(sorted(there.recommenders)) or "none: the operator sets CRS_EVAL_CRS_ENDPOINTS"
        raise InvalidRequest.at("/crs", "no such recommender here", f"name one of those at hand ({known})")
    return there.recommenders[name]
