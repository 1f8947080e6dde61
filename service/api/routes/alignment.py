"""`POST /behavior-alignment`."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...usecases.alignment import alignment_answer, judge_pairs, pairs_of
from ...usecases.wire.alignment import AlignmentAnswer, AlignmentRequest
from ..answers import hit_rate, json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

router = APIRouter(tags=["alignment"])


@router.post(
    "/behavior-alignment",
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
    return json_response(alignment_answer(body, pairs, found, deployment.stages), cached)
