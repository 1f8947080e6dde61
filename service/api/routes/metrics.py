"""`POST /computational-metrics`."""

import asyncio

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response

from ...usecases.metrics import metrics_answer
from ...usecases.parsing import parse
from ...usecases.wire.metrics import MetricsAnswer, MetricsRequest
from ..body import read_body, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

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
