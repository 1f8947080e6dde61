"""Everything that can be said of one log: verdicts, a debate over them, computed metrics."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from ..computed_metrics import MetricsReport, compute
from ..computed_metrics.computation import computable
from ..debates.statement import Debate, Round
from ..domain.completion import Call
from ..domain.verdict import Verdict
from ..errors import CrsEvalError, DeadlineExceeded, NothingToDebate, UpstreamFailed
from .debate import Plan, debate_verdicts, score_within


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
