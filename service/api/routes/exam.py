"""`POST /exam`."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...usecases.exam import take_exam
from ...usecases.wire.exam import ExamAnswer, ExamRequest
from ..answers import json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted
from .score import cache_status

router = APIRouter(tags=["exam"])


@router.post(
    "/exam",
    summary="Examine a judge",
    **posted(ExamRequest, ExamAnswer, 502, 504),
)
async def examine_judge(request: Request, deployment: CurrentDeployment) -> Response:
    """Has a judge take an exam: pairs of a good conversation and the same with one fault. Reports how often the judge sees
    each fault, how often other factors move, and how often it reports faults in good conversations. With `estimate: true`,
    says how many calls and tokens the exam takes, without asking the judge.

    The deadline of a request holds for the whole exam. Send a model's exam in parts, by `ids`, and put the `outcomes` together."""
    body = await read(request, ExamRequest, deployment.limits)
    answer, verdicts = await unless_gone(request.receive, take_exam(body, deployment))
    return json_response(answer, cache_status(verdicts))
