"""`POST /agreement`."""

from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...statistics.agreement import AgreementReport, measure
from ...usecases.agreement import agreement_answer, agreement_report
from ...usecases.answers import Patience
from ...usecases.deployment import Deployment
from ...usecases.parsing import parse
from ...usecases.wire.agreement import EXAMPLE_REQUEST, AgreementAnswer, AgreementRequest
from ..answers import in_thread, json_response
from ..body import read_body
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

router = APIRouter(tags=["agreement"])
_ADVICE = "Ask for fewer of them, send fewer ratings, or lower `bootstrap`."


def _example() -> AgreementAnswer:
    asked = AgreementRequest.model_validate(EXAMPLE_REQUEST)
    answer = agreement_answer(measure(asked.ratings, statistics=asked.statistics))
    return answer.model_copy(update={"rows": answer.rows[:1]})  # one of all the rows


@router.post(
    "/agreement",
    summary="Compare ratings by judges and people",
    **posted(AgreementRequest, AgreementAnswer, 504, example=_example),
)
async def compare_ratings(request: Request, deployment: CurrentDeployment) -> Response:
    """Return how well judges agree with people, with one another and with themselves. The answer is one tidy table:
    every statistic with its n and an interval over conversations. Scores are taken as given; nothing is
    judged here."""
    body = await read_body(request, deployment.limits.body)
    report = await in_thread(request, partial(_report, body, deployment), deployment.limits.seconds, _ADVICE)
    return json_response(agreement_answer(report))


def _report(body: bytes, deployment: Deployment, patience: Patience) -> AgreementReport:
    asked = parse(AgreementRequest, body, deployment.limits.depth)
    patience.check()
    return agreement_report(asked, deployment.factors, patience.check)
