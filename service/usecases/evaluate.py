"""The answers of `/evaluate`."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from ..debates import statement
from ..domain import verdict as domain
from ..domain.completion import NO_USAGE
from ..domain.rubric import Protocol
from ..errors import CrsEvalError
from ..pipeline.evaluate import Evaluation, evaluate
from ..scoring.summary import total_usage
from .calibrated import attach_partial_verdicts, calibrated_mean, calibration_notices
from .debate import PlannedDebate, all_verdicts, debate_key, end_of, judge_refs, notices, plan_debate
from .deployment import Deployment
from .score import raise_if_upstream_failed, score_answer
from .wire.debate import DebateFailure, DebateResult, EvaluateAnswer, EvaluateRequest, Round
from .wire.metrics import MetricsAnswer
from .wire.verdict import USAGE


async def evaluate_log(body: EvaluateRequest, deployment: Deployment) -> EvaluateAnswer:
    """Score, debate and measure a log. Raises CrsEvalError where no judge could be reached."""
    planned, steps = evaluation_of(body, deployment)
    return evaluate_answer(*await end_of(steps, planned), planned)


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
        overall = calibrated_mean(debate.overall if debate else None, key, scoring)
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
