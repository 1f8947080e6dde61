"""Scores of one log, with a debate over them, and everything that can be said of it: verdicts, a debate, computed metrics."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace

from .computed_metrics import MetricsReport, compute
from .computed_metrics.computation import computable
from .debates.rounds import Terms, run_debate
from .debates.statement import Debate, DebateSubject, Participant, Round
from .domain.completion import NO_USAGE, Call
from .domain.modes import Variant
from .domain.rubric import Factor
from .domain.verdict import Verdict
from .errors import CrsEvalError, DeadlineExceeded, NothingToDebate, UpstreamFailed
from .judges.evaluation import EvaluationRequest
from .scoring.evidence import EvidenceKind, fault_evidence
from .scoring.score import JudgeAssignment, JudgeOf, score


@dataclass(frozen=True)
class Plan:
    """The plan of scores and of a debate. `evaluation.factors` are asked of the judges in `assignments`; `given`
    are verdicts that the caller brings, and that cost this request nothing. Models that debate read the `evidence`."""

    evaluation: EvaluationRequest
    assignments: Mapping[str, JudgeAssignment]
    judge_of: JudgeOf
    factors: Mapping[str, Factor]
    participants: tuple[Participant, ...]
    terms: Terms
    given: tuple[Verdict, ...] = ()
    evidence: EvidenceKind | None = None


async def score_within(plan: Plan, call: Call) -> AsyncGenerator[Verdict, None]:
    """Each verdict as it is ready, within the budget.

    Raises BudgetExceeded or InvalidRequest (a budget in cost without prices) that carries the
    verdicts so far under `verdicts` in `partial`, and `usage`."""
    spent, so_far = NO_USAGE, list[Verdict]()
    async with aclosing(score(plan.evaluation, plan.assignments, plan.judge_of, call)) as verdicts:
        async for verdict in verdicts:
            so_far.append(verdict)
            spent += verdict.usage
            yield verdict
            try:
                plan.terms.budget.check(spent)
            except CrsEvalError as e:
                e.partial |= {"verdicts": tuple(so_far), "usage": spent}
                raise


async def debate_verdicts(
    plan: Plan, asked: tuple[Verdict, ...], call: Call
) -> AsyncGenerator[Round | Debate, None]:
    """The rounds over given and asked verdicts as they end, and last how the debate ended.

    Raises what `debate.rounds.run_debate` raises, with the asked verdicts under `verdicts` in `partial`."""
    published = plan.evaluation.variant is Variant.PUBLISHED
    judge_input = plan.evaluation.judge_input
    evidence = await fault_evidence(judge_input, plan.factors, plan.judge_of, call) if plan.evidence else ""
    verdicts = (*plan.given, *asked)
    subject = DebateSubject.of(judge_input, verdicts, plan.factors, own_ratings=published, evidence=evidence)
    spent = sum((verdict.usage for verdict in asked), NO_USAGE)
    try:
        async with aclosing(
            run_debate(subject, plan.participants, replace(plan.terms, spent=spent), call)
        ) as steps:
            async for step in steps:
                yield step
    except CrsEvalError as e:
        e.partial = {"usage": spent} | e.partial | {"verdicts": (*plan.given, *asked)}
        raise


async def debate_log(plan: Plan, call: Call) -> AsyncGenerator[Verdict | Round | Debate, None]:
    """Verdicts as they are ready, then rounds as they end, and last how the debate ended.

    Raises what `score_within` and `debate_verdicts` raise."""
    asked: list[Verdict] = []
    async with aclosing(score_within(plan, call)) as verdicts:
        async for verdict in verdicts:
            asked.append(verdict)
            yield verdict
    async with aclosing(debate_verdicts(plan, tuple(asked), call)) as steps:
        async for step in steps:
            yield step


@dataclass(frozen=True)
class Evaluation:
    """The outcome of a log. `failure` says why a debate that was asked for has no result; the rounds that
    it had lie in its `partial`."""

    metrics: MetricsReport
    debate: Debate | None
    failure: CrsEvalError | None


async def evaluate(
    plan: Plan, call: Call, *, with_debate: bool
) -> AsyncGenerator[Verdict | Round | Evaluation, None]:
    """Verdicts as they are ready, then the debate's rounds as they end, and last the evaluation.

    A debate that fails leaves verdicts and metrics standing; a budget that is spent does not:
    raises BudgetExceeded, and InvalidRequest for a budget in cost without prices."""
    asked: list[Verdict] = []
    async with aclosing(score_within(plan, call)) as scored:
        async for verdict in scored:
            asked.append(verdict)
            yield verdict
    metrics = await asyncio.to_thread(_metrics, plan, (*plan.given, *asked))
    debate: Debate | None = None
    failure: CrsEvalError | None = None
    if with_debate:
        try:
            async with aclosing(debate_verdicts(plan, tuple(asked), call)) as steps:
                async for step in steps:
                    if isinstance(step, Debate):
                        debate = step
                    else:
                        yield step
        except (UpstreamFailed, DeadlineExceeded, NothingToDebate) as e:
            failure = e
    yield Evaluation(metrics, debate, failure)


def _metrics(plan: Plan, verdicts: tuple[Verdict, ...]) -> MetricsReport:
    judge_input = plan.evaluation.judge_input
    return compute(
        [judge_input.log],
        verdicts=[verdicts],
        metrics=computable(judge_input.log),
        catalogue=judge_input.catalogue,
        list_cutoff=judge_input.list_cutoff,
    )
