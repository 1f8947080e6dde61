"""`POST /score` and `POST /score/{factor}`, and verdicts as the answer that a caller gets."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel
from starlette.responses import Response

from ...domain.calibration import Calibrated
from ...domain.nearest import nearest
from ...domain.rubric import Factor
from ...domain.verdict import UNSUPPORTED_LANGUAGE, Failed, NotAssessable, Verdict, each_judge
from ...errors import NotFound
from ...llm.failures import soonest
from ...scoring.score import comparison_key, in_order
from ...scoring.summary import Summary, fault_frequencies, judges_of, summarise, total_usage
from ..answers import hit_rate, json_response, raise_upstream_failed
from ..body import read, unless_gone
from ..calibrated import (
    attach_partial_verdicts,
    calibrated_key,
    calibrated_summary,
    calibrated_verdict,
    calibration_notices,
    dumped,
)
from ..deployment import CurrentDeployment, Deployment
from ..middleware.delivery import may_be_kept
from ..openapi_parts import posted
from ..plans.scoring import ScoringPlan, plan_score_request, plan_scoring
from ..streams import EventStream, ServerSentEvent, wants_stream
from ..wire import verdict as wire
from ..wire.problem import ScoreProblem
from ..wire.score import FactorScoreRequest, Notice, ScoreAnswer, ScoreRequest

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


async def judged(scoring: ScoringPlan) -> list[Verdict]:
    """Return all verdicts. Raises CrsEvalError where no judge could be reached."""
    verdicts = [verdict async for verdict in scoring.verdicts()]
    raise_if_upstream_failed(verdicts, scoring.factors)
    return verdicts


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


def score_answer(verdicts: Sequence[Verdict], scoring: ScoringPlan, key: str | None = None) -> ScoreAnswer:
    """The answer of `/score`. `key` is the comparison key without the calibration, where it rests on more than the verdicts.
    Raises InvalidRequest, which carries the verdicts, for a calibration that was not made for them."""
    ordered = in_order(verdicts, scoring.evaluation.factors)
    key = key or comparison_key(ordered, scoring.options)
    summaries = summarise(ordered, scoring.factors)
    with attach_partial_verdicts(ordered, scoring):
        return ScoreAnswer(
            verdicts=[calibrated_verdict(verdict, scoring) for verdict in ordered],
            summaries=[_summary(summary, calibrated_summary(summary, key, scoring)) for summary in summaries],
            faults=list(fault_frequencies(ordered, scoring.evaluation.judge_input.log)),
            judges=[wire.JudgeRef.of(judge) for judge in judges_of(ordered)],
            comparison_key=calibrated_key(key, scoring),
            usage=total_usage(ordered),
            warnings=[
                *verdict_notices(ordered),
                *calibration_notices(ordered, key, scoring, summaries=summaries),
            ],
        )


def factor_answer(verdicts: Sequence[Verdict], scoring: ScoringPlan) -> wire.Verdict:
    """The answer of `/score/{factor}`. Raises InvalidRequest, which carries the verdict, for a calibration that was not made for it."""
    [verdict] = verdicts
    with attach_partial_verdicts(verdicts, scoring):
        answer = calibrated_verdict(verdict, scoring)
    key = calibrated_key(comparison_key(verdicts, scoring.options), scoring)
    return answer.model_copy(update={"comparison_key": key})


def verdict_notices(verdicts: Sequence[Verdict]) -> list[Notice]:
    """Return what a reader of many verdicts must not miss, each thing once."""
    found = []
    unread = sum(
        isinstance(verdict, NotAssessable) and verdict.code == UNSUPPORTED_LANGUAGE for verdict in verdicts
    )
    if unread:
        detail = (
            f"The embedded judge reads English, and this log is in another language: {unread} of {len(verdicts)} "
            "factors are not assessed. Name a language model as `judge`."
        )
        found.append(Notice(code="language", detail=detail))
    if failed := sum(isinstance(verdict, Failed) for verdict in verdicts):
        detail = f"{failed} of {len(verdicts)} factors have no usable answer; all means leave them out."
        found.append(Notice(code="failed_verdicts", detail=detail))
    if short := sum(any(flag.code == "panel_member_failed" for flag in v.flags) for v in verdicts):
        detail = f"On {short} of {len(verdicts)} factors a member of the panel failed; the scores rest on the others."
        found.append(Notice(code="panel_members_failed", detail=detail))
    if grouped := sum(any(flag.code == "grouped" for flag in verdict.flags) for verdict in verdicts):
        detail = (
            f"{grouped} of {len(verdicts)} factors shared a call with others, so their scores pull at one another. "
            "Their agreement with people is unmeasured until ratings of both go through /agreement."
        )
        found.append(Notice(code="grouped", detail=detail))
    return found


def raise_if_upstream_failed(verdicts: Sequence[Verdict], factors: Mapping[str, Factor]) -> None:
    """Raise the error of an upstream that gave nothing for any factor, with the verdicts that there are."""
    single = list(each_judge(verdicts))
    failed = [verdict for verdict in single if isinstance(verdict, Failed)]
    if len(failed) < len(single) or not failed:
        return
    raise_upstream_failed(
        [verdict.code for verdict in failed],
        failed[0].detail,
        retry_after=soonest(one.retry_after for one in verdicts if isinstance(one, Failed)),
        partial={"verdicts": dumped(verdicts, factors)},
    )


def cache_status(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """The Cache-Status header; none where no verdict came from a cacheable prompt."""
    asked = [verdict.cached for verdict in each_judge(verdicts) if verdict.prompt_hash is not None]
    return hit_rate(sum(asked), len(asked))


def _summary(summary: Summary, calibrated: Calibrated | None) -> Summary:
    return replace(
        summary,
        confidence=None if summary.confidence is None else round(summary.confidence, 2),
        overall=None if summary.overall is None else round(summary.overall, 3),
        calibrated=calibrated,
    )
