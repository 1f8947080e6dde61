"""A request to simulate, checked against this deployment, and the scores of its session as a request to `/score`."""

from dataclasses import replace

from ...domain.conversation import Role
from ...domain.verdict import JudgeName
from ...errors import InvalidRequest
from ...simulators.asker import Asker
from ...simulators.kind import Backend, SimulatorConfig
from ...simulators.machine import UserPolicy
from ...simulators.recommender import Recommender
from ..deployment import Deployment
from ..wire.log import Log, Message
from ..wire.score import ScoreRequest
from ..wire.simulate import SimulateRequest
from ..wire.simulator import Simulator
from .scoring import ScoringPlan, named_catalogue, plan_score_request

BUILTIN = "builtin"
_REPLY = Message(role=Role.ASSISTANT, content="Any reply.")


def policy_of(body: SimulateRequest, deployment: Deployment) -> UserPolicy:
    """The simulated user of a request, whose kind talks. Raises InvalidRequest for a field that its type does not
    know, and for a model that is not to be had here."""
    asked = body.simulator
    check_fields(asked)
    build = asked.kind.build
    assert build is not None, "no policy makes rewordings"
    return build(
        SimulatorConfig(
            asker=lambda: player_of(asked, deployment),
            seed=asked.seed or 0,
            catalogue=named_catalogue(body.catalog, deployment),
            list_cutoff=deployment.limits.list_cutoff,
            settings=asked.settings,
            temperature=asked.temperature,
            variant=asked.variant.value if asked.variant else None,
        )
    )


def check_fields(asked: Simulator) -> None:
    """Raises InvalidRequest for a field that the simulator's type does not know."""
    takes = asked.kind.takes
    for name in sorted(asked.model_fields_set - {"type"}):
        if getattr(asked, name) is not None and name not in takes:
            knows = ", ".join(sorted(takes))
            detail = f"a `{asked.type}` simulator has no such setting"
            raise InvalidRequest.at(f"/simulator/{name}", detail, f"leave it out; it knows {knows}")


def speaker_of(asked: Simulator, deployment: Deployment) -> JudgeName | None:
    """The name of the model that finds the words, as the caller or operator gave it; None where rules do."""
    backend = asked.kind.backend
    if backend is Backend.RULES or (backend is Backend.EITHER and asked.judge in (None, BUILTIN)):
        return None
    return JudgeName.parse(asked.judge) if asked.judge else deployment.judges.default


def player_of(asked: Simulator, deployment: Deployment) -> Asker:
    """The model that plays the user, with the request's seed and temperature. Raises as `model_of` does."""
    return model_of(asked.judge, deployment, seed=asked.seed, temperature=asked.temperature)


def model_of(
    judge: str | None,
    deployment: Deployment,
    *,
    seed: int | None = None,
    temperature: float | None = None,
    pointer: str = "/simulator/judge",
) -> Asker:
    """The model that a caller names. Raises InvalidRequest where none is named or to be had."""
    name = deployment.judges.named(judge, pointer) if judge is not None else deployment.judges.default
    if name.name == BUILTIN:
        fix = "name a model that the operator allows as `name:model`, or use the `scripted` simulator"
        raise InvalidRequest.at(pointer, "the embedded judge cannot play a user", fix)
    return deployment.registry.asker(name, seed, temperature)


def recommender_of(name: str, session: str | None, deployment: Deployment) -> Recommender:
    """The recommender that a caller names, in the session whose log has this id. Raises InvalidRequest where the operator has none such."""
    if name not in deployment.recommenders:
        known = (
            ", ".join(sorted(deployment.recommenders))
            or "none is configured: operators set CRS_EVAL_CRS_ENDPOINTS"
        )
        raise InvalidRequest.at("/crs", "unknown recommender", f"name one of these: {known}")
    found = deployment.recommenders[name]
    return (
        found if session is None or deployment.memory is None else deployment.memory.of(found, name, session)
    )


def check_scoring(body: SimulateRequest, deployment: Deployment) -> None:
    """Raise InvalidRequest for what a session cannot be judged by: before it is held, not after it."""
    if body.score is None:
        if body.scoring is not None:
            fix = "name factors in `score`, or leave it out"
            raise InvalidRequest.at("/scoring", "nothing is to be scored", fix)
        return
    stand_in = body.log.model_copy(update={"messages": [_REPLY], "history": None})
    try:
        plan_session_scoring(body, stand_in.to_log(), deployment)
    except InvalidRequest as refusal:
        faults = [replace(fault, pointer=_place(fault.pointer)) for fault in refusal.errors]
        raise InvalidRequest.of(faults) from None


def plan_session_scoring(body: SimulateRequest, log: Log, deployment: Deployment) -> ScoringPlan:
    """The evaluation request about a session's log."""
    way = (
        {name: getattr(body.scoring, name) for name in body.scoring.model_fields_set} if body.scoring else {}
    )
    asked = ScoreRequest(log=log, factors=body.score, catalog=body.catalog, cache=body.cache, **way)
    return plan_score_request(asked, deployment)


def _place(pointer: str) -> str:
    """The place in a request to `/simulate` of a field of `/score`."""
    field = pointer.split("/")[1]
    if field == "factors":
        return pointer.replace("/factors", "/score", 1)
    return pointer if field in SimulateRequest.model_fields else f"/scoring{pointer}"
