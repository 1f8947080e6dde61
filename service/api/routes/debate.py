"""`POST /debate` and `POST /evaluate`."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...debates import statement
from ...domain import verdict as domain
from ...pipeline import debate_log
from ...usecases.calibrated import calibrated_verdict
from ...usecases.debate import (
    End,
    PlannedDebate,
    checked_steps,
    debate_answer,
    end_of,
    evaluate_answer,
    evaluation_of,
    plan_debate,
)
from ...usecases.wire.debate import (
    DebateAnswer,
    DebateProblem,
    DebateRequest,
    EvaluateAnswer,
    EvaluateRequest,
    Round,
)
from ..answers import json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted
from ..streams import EventStream, ServerSentEvent, wants_stream
from .score import cache_status

router = APIRouter()
_PROBLEMS = dict.fromkeys((402, 502, 504), DebateProblem)


@router.post(
    "/debate",
    tags=["debate"],
    summary="Debate a log to one score",
    **posted(
        DebateRequest,
        DebateAnswer,
        _PROBLEMS,
        events=(
            "`verdict` for each verdict as it is ready, `round` for each round as it ends. Then `done` with the "
            "answer, or `error` with the problem."
        ),
    ),
)
async def debate_one_log(request: Request, deployment: CurrentDeployment) -> Response:
    """Has roles debate the log, in rounds, to one score from 0 to 100. Without `verdicts` the roles'
    factors are scored first. If none of them can be assessed, the 422 has the type
    `/problems/nothing-to-debate`, the reasons, and the verdicts."""
    planned = plan_debate(await read(request, DebateRequest, deployment.limits), deployment)
    steps = debate_log(planned.plan, planned.scoring.call)
    if wants_stream(request):
        return EventStream(_events(steps, planned, debate_answer))
    debate, asked = await unless_gone(request.receive, end_of(steps, planned))
    return json_response(debate_answer(debate, asked, planned))


@router.post(
    "/evaluate",
    tags=["evaluate"],
    summary="Score, debate and measure a log",
    **posted(
        EvaluateRequest,
        EvaluateAnswer,
        _PROBLEMS,
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
        return EventStream(_events(steps, planned, evaluate_answer))
    evaluation, asked = await unless_gone(request.receive, end_of(steps, planned))
    return json_response(evaluate_answer(evaluation, asked, planned), cache_status(asked))


async def _events(
    steps: AsyncGenerator[domain.Verdict | statement.Round | End, None],
    planned: PlannedDebate,
    answer: Callable[[End, list[domain.Verdict], PlannedDebate], object],
) -> AsyncGenerator[ServerSentEvent, None]:
    """The steps of a debate or an evaluation as events; `answer` makes the answer of the last one and the verdicts before it."""
    asked: list[domain.Verdict] = []
    async with aclosing(checked_steps(steps, asked, planned)) as made:
        async for step in made:
            if isinstance(step, domain.Verdict):
                yield ServerSentEvent("verdict", calibrated_verdict(step, planned.scoring))
            elif isinstance(step, statement.Round):
                yield ServerSentEvent("round", Round.of(step))
            else:
                yield ServerSentEvent("done", answer(step, asked, planned))
