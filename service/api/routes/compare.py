"""`POST /compare`."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...usecases.compare import compare_answer, plan_comparison, preferences
from ...usecases.wire.compare import CompareAnswer, CompareRequest
from ..answers import hit_rate, json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

router = APIRouter(tags=["compare"])


@router.post(
    "/compare",
    summary="Compare two conversations",
    **posted(CompareRequest, CompareAnswer, 502, 504),
)
async def compare_logs(request: Request, deployment: CurrentDeployment) -> Response:
    """Says on each factor, and overall, which of two conversations is better. A model is asked in both orders, and a preference
    that turns with the order is a tie. The embedded judge compares its scores; small differences are ties."""
    plan = plan_comparison(await read(request, CompareRequest, deployment.limits), deployment)
    found = await unless_gone(request.receive, preferences(plan))
    orders = [order for one in found for order in one.orders]
    cached = hit_rate(sum(order.cached for order in orders), len(orders))
    return json_response(compare_answer(found, plan), cached)
