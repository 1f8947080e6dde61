"""`POST /computational-metrics`."""

import asyncio

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response

from ...errors import InvalidRequest
from ...metrics import Matching, compute
from ..body import parse, read_body, unless_gone
from ..deployment import CurrentDeployment, Deployment
from ..openapi_parts import posted
from ..plans.scoring import named_catalogue
from ..plans.verdicts import checked_verdicts
from ..wire.metrics import MetricsAnswer, MetricsRequest

router = APIRouter(tags=["metrics"])


@router.post(
    "/computational-metrics",
    summary="Compute metrics over many logs",
    **posted(MetricsRequest, MetricsAnswer),
)
async def compute_metrics(request: Request, deployment: CurrentDeployment) -> Response:
    """Computes recommendation quality, elicitation, reliability, sincerity, coordination and text
    metrics, each with the number of cases and an interval, and CONCEPT's six abilities."""
    body = await read_body(request, deployment.limits.body)
    # A study of thousands of sessions takes seconds: not on the event loop.
    asked = await asyncio.to_thread(parse, MetricsRequest, body, deployment.limits.depth)
    del body  # its values stand for it from here on
    work = asyncio.to_thread(lambda: to_json(metrics_answer(asked, deployment)))
    return Response(await unless_gone(request.receive, work), media_type="application/json")


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
