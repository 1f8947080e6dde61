"""`POST /evaluate`."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...debate import statement
from ...domain import verdict as domain
from ...domain.completion import NO_USAGE
from ...domain.rubric import Protocol
from ...errors import CrsEvalError
from ...pipeline.evaluate import Evaluation, evaluate
from ...scoring.summary import total_usage
from ..answers import json_response
from ..body import read, unless_gone
from ..calibrated import attach_partial_verdicts, calibrated_overall, calibration_notices
from ..deployment import CurrentDeployment, Deployment
from ..openapi_parts import posted
from ..plans.debate import PlannedDebate, plan_debate
from ..streams import EventStream, wants_stream
from ..wire.debate import (
    DebateFailure,
    DebateProblem,
    DebateResult,
    EvaluateAnswer,
    EvaluateRequest,
    Round,
)
from ..wire.metrics import MetricsAnswer
from ..wire.verdict import USAGE
from .debate import all_verdicts, debate_key, end_of, events_of, judge_refs, notices
from .score import cache_status, raise_if_upstream_failed, score_answer

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


def evaluation_of(
    body: EvaluateRequest, deployment: Deployment
) -> tuple[PlannedDebate, AsyncGenerator[domain.Verdict | statement.Round | Evaluation, None]]:
    """The plan of an evaluation, and its steps."""
    planned = plan_debate(body, deployment, unless_said=deployment.factors.of(Protocol.CORE))
    return planned, evaluate(planned.plan, planned.scoring.call, with_debate=body.debate is not False)


def evaluate_answer(
    evaluation: Evaluation, asked: Sequence[domain.Verdict], planned: PlannedDebate
) -> EvaluateAnswer:
    """The answer of `/evaluate`. Raises CrsEvalError where no judge could be reached."""
    factors = planned.scoring.factors
    verdicts = all_verdicts(planned.plan, asked)
    try:
        raise_if_upstream_failed(asked, factors)
    except CrsEvalError as error:
        usage = USAGE.dump_python(total_usage(asked), mode="json")
        error.partial |= {"rounds": [], "usage": usage}
        raise
    judged = tuple(factors[verdict.factor] for verdict in verdicts)
    scoring = replace(planned.scoring, evaluation=replace(planned.scoring.evaluation, factors=judged))
    debate, failure = evaluation.debate, evaluation.failure
    rounds: Sequence[statement.Round] = failure.partial.get("rounds", ()) if failure else ()
    key = debate_key(verdicts, debate, planned)
    scored = score_answer(verdicts, scoring, key)
    with attach_partial_verdicts(verdicts, scoring):
        overall = calibrated_overall(debate.overall, key, scoring) if debate else None
    return EvaluateAnswer(
        verdicts=scored.verdicts,
        summaries=scored.summaries,
        faults=scored.faults,
        debate=DebateResult.of(debate, calibrated=overall) if debate else None,
        debate_failure=DebateFailure(
            code=failure.slug, detail=failure.detail, rounds=[Round.of(one) for one in rounds]
        )
        if failure
        else None,
        metrics=MetricsAnswer.of(evaluation.metrics),
        judges=judge_refs(verdicts, debate),
        comparison_key=scored.comparison_key,
        usage=total_usage(asked) + (debate.usage if debate else sum((one.usage for one in rounds), NO_USAGE)),
        warnings=[
            *notices(verdicts, debate),
            *calibration_notices(
                verdicts, key, scoring, summaries=scored.summaries, debated=debate is not None
            ),
        ],
    )
