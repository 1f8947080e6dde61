"""The answer of `/computational-metrics`."""

import asyncio

from ..computed_metrics import Matching, compute
from ..errors import InvalidRequest
from .deployment import Deployment
from .plans.scoring import named_catalogue
from .plans.verdicts import checked_verdicts
from .wire.metrics import MetricsAnswer, MetricsRequest


async def compute_metrics(asked: MetricsRequest, deployment: Deployment) -> MetricsAnswer:
    """Compute metrics in a thread. Raises as `metrics_answer` does."""
    return await asyncio.to_thread(metrics_answer, asked, deployment)


def metrics_answer(asked: MetricsRequest, deployment: Deployment) -> MetricsAnswer:
    """The answer of `/computational-metrics`. Raises InvalidRequest for logs and verdicts beyond the limits."""
    logs = asked.logs
    counts = [
        (f"/logs/{index}/messages", len(log.messages) + len(log.history)) for index, log in enumerate(logs)
    ]
    if errors := [error for at, count in counts for error in deployment.limits.too_long(at, count)]:
        raise InvalidRequest.of(errors)
    verdicts = [
        checked_verdicts(verdicts, deployment, f"/verdicts/{log}")
        for log, verdicts in enumerate(asked.verdicts or ())
    ]
    asked = asked.model_copy(update={"verdicts": None})  # as they came they take twice as much
    report = compute(
        logs,
        verdicts=verdicts,
        reply_pairs=[pair.value() for pair in asked.reply_pairs or ()],
        metrics=asked.metrics,
        k=asked.k,
        turns=asked.turns,
        group_by=asked.group_by or (),
        spread_over=asked.spread_over or (),
        catalogue=named_catalogue(asked.catalog, deployment),
        matching=asked.matching or Matching.STRICT,
        list_cutoff=deployment.limits.list_cutoff,
    )
    return MetricsAnswer.of(report)
