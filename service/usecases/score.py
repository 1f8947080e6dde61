"""The answers of `/score`: the verdicts of a plan, summed up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..domain.rubric import Factor
from ..domain.verdict import UNSUPPORTED_LANGUAGE, Failed, NotAssessable, Verdict, each_judge
from ..llm.failures import soonest
from ..scoring.score import comparison_key, in_order
from ..scoring.summary import Summary, fault_frequencies, judges_of, summarise, total_usage
from .answers import raise_upstream_failed
from .calibrated import (
    attach_partial_verdicts,
    calibrated_key,
    calibrated_mean,
    calibrated_verdict,
    calibration_notices,
    dumped,
)
from .deployment import Deployment
from .plans.scoring import ScoringPlan, plan_score_request
from .wire import verdict as wire
from .wire.score import Notice, ScoreAnswer, ScoreRequest


async def score_log(body: ScoreRequest, deployment: Deployment) -> ScoreAnswer:
    """Judge a log on several factors. Raises InvalidRequest, and CrsEvalError where no judge could be reached."""
    scoring = plan_score_request(body, deployment)
    return score_answer(await judged(scoring), scoring)


async def judged(scoring: ScoringPlan) -> list[Verdict]:
    """Return all verdicts. Raises CrsEvalError where no judge could be reached."""
    verdicts = [verdict async for verdict in scoring.verdicts()]
    raise_if_upstream_failed(verdicts, scoring.factors)
    return verdicts


def score_answer(verdicts: Sequence[Verdict], scoring: ScoringPlan, key: str | None = None) -> ScoreAnswer:
    """The answer of `/score`. `key` is the comparison key without the calibration, where it rests on more than the verdicts.
    Raises InvalidRequest, which carries the verdicts, for a calibration that was not made for them."""
    ordered = in_order(verdicts, scoring.evaluation.factors)
    key = key or comparison_key(ordered, scoring.options)
    summaries = summarise(ordered, scoring.factors)
    with attach_partial_verdicts(ordered, scoring):
        return ScoreAnswer(
            verdicts=[calibrated_verdict(verdict, scoring) for verdict in ordered],
            summaries=[_summary(summary, key, scoring) for summary in summaries],
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
        detail = f"{failed} of {len(verdicts)} factors have no usable answer; they are no part of any mean."
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


def _summary(summary: Summary, key: str, scoring: ScoringPlan) -> Summary:
    return replace(
        summary,
        confidence=None if summary.confidence is None else round(summary.confidence, 2),
        overall=None if summary.overall is None else round(summary.overall, 3),
        calibrated=calibrated_mean(summary.mean, key, scoring, of=summary.protocol, scale=summary.scale),
    )
