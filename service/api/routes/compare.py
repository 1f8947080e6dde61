"""`POST /compare` and `POST /behavior-alignment`: two conversations, or the replies of a recommender and of people."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...usecases.alignment import alignment_answer, judge_pairs, pairs_of
from ...usecases.compare import compare_answer, plan_comparison, preferences
from ...usecases.wire.alignment import AlignmentAnswer, AlignmentRequest
from ...usecases.wire.compare import CompareAnswer, CompareRequest
from ..answers import hit_rate, json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

router = APIRouter()


@router.post(
    "/compare",
    tags=["compare"],
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


@router.post(
    "/behavior-alignment",
    tags=["alignment"],
    summary="Compare a recommender's strategies with people's",
    **posted(AlignmentRequest, AlignmentAnswer, 502, 504),
)
async def behavior_alignment(request: Request, deployment: CurrentDeployment) -> Response:
    """Says for each pair whether the system's reply uses the same strategy as the human recommender's, and counts over all
    pairs. The first turn of a dialogue is left out, and
    so are pairs in which a reply uses no strategy."""
    body = await read(request, AlignmentRequest, deployment.limits)
    pairs = pairs_of(body, deployment)
    body = body.model_copy(update={"pairs": None})  # as they came they take twice as much
    found = await unless_gone(request.receive, judge_pairs(body, pairs, deployment))
    cached = hit_rate(found.labelling.hits, found.labelling.calls) if found.labelling else {}
    return json_response(alignment_answer(body, pairs, found), cached)
