"""`POST /evaluate`."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...usecases.debate import end_of
from ...usecases.evaluate import evaluate_answer, evaluation_of
from ...usecases.wire.debate import DebateProblem, EvaluateAnswer, EvaluateRequest
from ..answers import json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted
from ..streams import EventStream, wants_stream
from .debate import events_of
from .score import cache_status

router = APIRouter(tags=["evaluate"])


@router.post(
    "/evaluate",
    summary="Score, debate and measure a log",
    **posted(
        EvaluateRequest,
        EvaluateAnswer,
        {402: DebateProblem, 502: DebateProblem, 504: DebateProblem},
        events=(
            "`verdict` for each verdict as it is ready, `round` for each round of the debate as it ends. Then `done` "
            "with the answer, or `error` with the problem."
        ),
    ),
)
async def evaluate_log(request: Request, deployment: CurrentDeployment) -> Response:
    """Judges the log, has roles debate the verdicts, and computes the metrics of this one log. A
    debate that fails leaves the rest standing, and says why in `debate_failure`."""
    body = await read(request, EvaluateRequest, deployment.limits)
    planned, steps = evaluation_of(body, deployment)
    del body  # its values stand for it from here on
    if wants_stream(request):
        return EventStream(events_of(steps, planned, evaluate_answer))
    evaluation, asked = await unless_gone(request.receive, end_of(steps, planned))
    return json_response(evaluate_answer(evaluation, asked, planned), cache_status(asked))
