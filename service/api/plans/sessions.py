"""The scores of a simulated session: `score` and `scoring` of a request, as one to `/score`."""

from dataclasses import replace

from ...domain.conversation import Role
from ...errors import InvalidRequest
from ..services import Services
from ..wire.log import Log, Message
from ..wire.score import ScoreRequest
from ..wire.simulate import SimulateRequest
from .rubrics import with_rubrics
from .scoring import ScoringPlan, plan_score_request

_REPLY = Message(role=Role.ASSISTANT, content="Any reply.")


def check_scoring(body: SimulateRequest, here: Services) -> None:
    """Raise InvalidRequest for what a session cannot be judged by: before it is held, not after it."""
    if body.score is None:
        if body.scoring is not None:
            fix = "name factors in `score`, or leave it out"
            raise InvalidRequest.at("/scoring", "nothing is to be scored", fix)
        return
    stand_in = body.log.model_copy(update={"messages": [_REPLY], "history": None})
    try:
        plan_session_scoring(body, stand_in.to_log(), here)
    except InvalidRequest as refusal:
        faults = [replace(fault, pointer=_place(fault.pointer)) for fault in refusal.errors]
        raise InvalidRequest(f"{faults[0].pointer}: {faults[0].detail}", errors=faults) from None


def plan_session_scoring(body: SimulateRequest, log: Log, here: Services) -> tuple[ScoringPlan, Services]:
    """The inquiry about a session's log, and the services with the rubrics that the request brings."""
    way = (
        {name: getattr(body.scoring, name) for name in body.scoring.model_fields_set} if body.scoring else {}
    )
    asked = ScoreRequest(log=log, factors=body.score, catalog=body.catalog, cache=body.cache, **way)
    here = with_rubrics(asked.rubrics, here)
    return plan_score_request(asked, here), here


def _place(pointer: str) -> str:
    """The place in a request to `/simulate` of a field of `/score`."""
    field = pointer.split("/")[1]
    if field == "factors":
        return pointer.replace("/factors", "/score", 1)
    return pointer if field in SimulateRequest.model_fields else f"/scoring{pointer}"
