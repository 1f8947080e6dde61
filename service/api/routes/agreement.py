"""`POST /agreement`."""

from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...statistics.agreement import AgreementReport, measure
from ...statistics.bootstrap import DRAWS
from ..answers import Patience, in_thread, json_response
from ..body import parse, read_body
from ..deployment import CurrentDeployment, Deployment
from ..openapi_parts import posted
from ..wire.agreement import EXAMPLE_REQUEST, AgreementAnswer, AgreementRequest

router = APIRouter(tags=["agreement"])
_ADVICE = "Ask for fewer of them, send fewer ratings, or lower `bootstrap`."


def _example() -> AgreementAnswer:
    asked = AgreementRequest.model_validate(EXAMPLE_REQUEST)
    answer = _answer(measure(asked.ratings, statistics=asked.statistics))
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
    return json_response(_answer(report))


def _answer(report: AgreementReport) -> AgreementAnswer:
    return AgreementAnswer.of(report, warnings=report.remarks)


def _report(body: bytes, deployment: Deployment, patience: Patience) -> AgreementReport:
    asked = parse(AgreementRequest, body, deployment.limits.depth)
    patience.check()
    levels = {slug: factor.scale.max - factor.scale.min + 1 for slug, factor in deployment.factors.items()}
    levels |= {factor: max(0, scale.max - scale.min + 1) for factor, scale in (asked.scales or {}).items()}
    return measure(
        asked.ratings,
        statistics=None if asked.statistics is None else [str(name) for name in asked.statistics],
        levels=levels,
        draws=DRAWS if asked.bootstrap is None else asked.bootstrap,
        check=patience.check,
    )
