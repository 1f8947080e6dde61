"""`POST /score` and `POST /score/{factor}`."""

import contextlib
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic_core import to_json
from rapidfuzz.process import extractOne
from starlette.responses import Response

from ...domain.verdict import Verdict as DomainVerdict
from ...errors import NotFound
from ...scoring.score import score
from ..answers import cache_status, factor_answer, raise_if_upstream_failed, score_answer
from ..body import parse, read_body, unless_gone
from ..calibrated import calibrated_verdict, carried
from ..middleware.delivery import may_be_kept
from ..openapi_parts import json_body, problems, stream
from ..plans.rubrics import with_rubrics
from ..plans.scoring import ScoringPlan, ask_about, ask_everything
from ..services import Here, Services
from ..streams import Event, EventStream, wants_stream
from ..wire.problem import ScoreProblem
from ..wire.score import FactorScoreRequest, ScoreAnswer, ScoreRequest
from ..wire.verdict import Verdict

router = APIRouter(tags=["score"])
Slug = Annotated[str, Path(description="The factor's slug.")]


@router.post(
    "/score",
    summary="Judge a log on several factors",
    response_model=ScoreAnswer,
    responses={
        200: stream(
            "`verdict` for each verdict as it is ready, then `done` with the answer, or `error` with the problem."
        ),
        **problems(400, 413, 415, 422, 500, {502: ScoreProblem, 504: ScoreProblem}),
    },
    openapi_extra=json_body(ScoreRequest),
)
async def score_log(request: Request, here: Here) -> Response:
    """Judges the log on each factor of `factors` and answers with one verdict each, in the order
    asked. With `Accept: text/event-stream` the verdicts come one by one as they are ready."""
    body = parse(ScoreRequest, await read_body(request, here.limits.body), here.limits.depth)
    here = with_rubrics(body.rubrics, here)
    asking = ask_everything(body, here)
    del body  # its values stand for it from here on
    if wants_stream(request):
        return EventStream(_events(asking, here))
    verdicts = await unless_gone(request.receive, _collect(asking, here))
    raise_if_upstream_failed(verdicts, here.factors)
    may_be_kept(getattr(request.state, "memory", None), asking, verdicts)
    return _json(score_answer(verdicts, asking, here.factors), verdicts)


@router.post(
    "/score/{factor}",
    summary="Judge a log on one factor",
    response_model=Verdict,
    responses=problems(400, 404, 413, 415, 422, 500, {502: ScoreProblem, 504: ScoreProblem}),
    openapi_extra=json_body(FactorScoreRequest),
)
async def score_factor(factor: Slug, request: Request, here: Here) -> Response:
    """Judges the log on the factor that the path names."""
    if factor not in here.factors:
        raise no_such_factor(factor, here)
    body = parse(FactorScoreRequest, await read_body(request, here.limits.body), here.limits.depth)
    asking = ask_about(body, (here.factors[factor],), here)
    del body  # its values stand for it from here on
    verdicts = await unless_gone(request.receive, _collect(asking, here))
    raise_if_upstream_failed(verdicts, here.factors)
    may_be_kept(getattr(request.state, "memory", None), asking, verdicts)
    return _json(factor_answer(verdicts, asking, here.factors), verdicts)


def no_such_factor(slug: str, here: Services) -> NotFound:
    """The problem of a factor in the path that does not exist."""
    near = extractOne(slug, list(here.factors), score_cutoff=50)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return NotFound(f"There is no factor {slug[:80]!r}.{hint} GET /factors lists them.")


async def _collect(asking: ScoringPlan, here: Services) -> list[DomainVerdict]:
    """All verdicts; judges keep the deadline themselves and fail what is late."""
    return [verdict async for verdict in score(asking.inquiry, asking.routes, here.judges.get, asking.call)]


async def _events(asking: ScoringPlan, here: Services) -> AsyncIterator[Event]:
    collected: list[DomainVerdict] = []
    async with contextlib.aclosing(
        score(asking.inquiry, asking.routes, here.judges.get, asking.call)
    ) as verdicts:
        async for verdict in verdicts:
            collected.append(verdict)
            with carried(collected, here.factors):
                event = Event("verdict", calibrated_verdict(verdict, here.factors, asking))
            yield event
    raise_if_upstream_failed(collected, here.factors)
    yield Event("done", score_answer(collected, asking, here.factors))


def _json(answer: ScoreAnswer | Verdict, verdicts: list[DomainVerdict]) -> Response:
    return Response(to_json(answer), headers=cache_status(verdicts), media_type="application/json")
