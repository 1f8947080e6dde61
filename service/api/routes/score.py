"""`POST /score` and `POST /score/{factor}`, and verdicts as the answer that a caller gets."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel
from starlette.responses import Response

from ...domain.nearest import nearest
from ...domain.verdict import Verdict, each_judge
from ...errors import NotFound
from ...usecases.calibrated import attach_partial_verdicts, calibrated_verdict
from ...usecases.deployment import Deployment
from ...usecases.plans.scoring import ScoringPlan, plan_score_request, plan_scoring
from ...usecases.score import factor_answer, judged, raise_if_upstream_failed, score_answer
from ...usecases.wire import verdict as wire
from ...usecases.wire.problem import ScoreProblem
from ...usecases.wire.score import FactorScoreRequest, ScoreAnswer, ScoreRequest
from ..answers import hit_rate, json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..middleware.delivery import may_be_kept
from ..openapi_parts import posted
from ..streams import EventStream, ServerSentEvent, wants_stream

router = APIRouter(tags=["score"])
Slug = Annotated[str, Path(description="The factor's slug.")]


@router.post(
    "/score",
    summary="Judge a log on several factors",
    **posted(
        ScoreRequest,
        ScoreAnswer,
        {502: ScoreProblem, 504: ScoreProblem},
        events="`verdict` for each verdict as it is ready, then `done` with the answer, or `error` with the problem.",
    ),
)
async def score_log(request: Request, deployment: CurrentDeployment) -> Response:
    """Judges the log on each factor of `factors` and answers with one verdict each, in the order
    asked. With `Accept: text/event-stream` the verdicts come one by one as they are ready."""
    scoring = plan_score_request(await read(request, ScoreRequest, deployment.limits), deployment)
    if wants_stream(request):
        return EventStream(_events(scoring))
    return await _answered(request, scoring, score_answer)


@router.post(
    "/score/{factor}",
    summary="Judge a log on one factor",
    **posted(FactorScoreRequest, wire.Verdict, 404, {502: ScoreProblem, 504: ScoreProblem}),
)
async def score_factor(factor: Slug, request: Request, deployment: CurrentDeployment) -> Response:
    """Judges the log on the factor that the path names."""
    if factor not in deployment.factors:
        raise no_such_factor(factor, deployment)
    body = await read(request, FactorScoreRequest, deployment.limits)
    return await _answered(
        request, plan_scoring(body, (deployment.factors[factor],), deployment), factor_answer
    )


async def _answered(
    request: Request, scoring: ScoringPlan, answer: Callable[[Sequence[Verdict], ScoringPlan], BaseModel]
) -> Response:
    verdicts = await unless_gone(request.receive, judged(scoring))
    may_be_kept(getattr(request.state, "memory", None), scoring, verdicts)
    return json_response(answer(verdicts, scoring), cache_status(verdicts))


def no_such_factor(slug: str, deployment: Deployment) -> NotFound:
    """The problem of a factor in the path that does not exist."""
    near = nearest(slug, deployment.factors)
    hint = f" Did you mean {near!r}?" if near else ""
    return NotFound(f"There is no factor {slug[:80]!r}.{hint} GET /factors lists them.")


async def _events(scoring: ScoringPlan) -> AsyncGenerator[ServerSentEvent, None]:
    collected: list[Verdict] = []
    async with contextlib.aclosing(scoring.verdicts()) as verdicts:
        async for verdict in verdicts:
            collected.append(verdict)
            with attach_partial_verdicts(collected, scoring):
                event = ServerSentEvent("verdict", calibrated_verdict(verdict, scoring))
            yield event
    raise_if_upstream_failed(collected, scoring.factors)
    yield ServerSentEvent("done", score_answer(collected, scoring))


def cache_status(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """The Cache-Status header; none where no verdict came from a cacheable prompt."""
    asked = [verdict.cached for verdict in each_judge(verdicts) if verdict.prompt_hash is not None]
    return hit_rate(sum(asked), len(asked))
