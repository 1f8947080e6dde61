"""`POST /agreement` and `POST /calibrate`: arithmetic on ratings, in a thread."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...calibration.report import Report, calibrate
from ...errors import BodyTooLarge
from ...factors import load_factors
from ...statistics.agreement import AgreementReport, measure
from ...usecases.answers import Patience
from ...usecases.deployment import Deployment
from ...usecases.parsing import RATINGS_TIMES, body_limit, parse
from ...usecases.ratings import agreement_answer, agreement_report, ratings_of, terms_of
from ...usecases.wire import agreement as agreement_wire
from ...usecases.wire import calibrate as calibrate_wire
from ...usecases.wire.agreement import AgreementAnswer, AgreementRequest
from ...usecases.wire.calibrate import CalibrateAnswer, CalibrateRequest
from ..answers import in_thread, json_response
from ..body import read_body
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

router = APIRouter()
SHARE = 2 / 3
"""The part of its memory as models that a list of ratings takes."""


def _agreement() -> AgreementAnswer:
    asked = AgreementRequest.model_validate(agreement_wire.EXAMPLE_REQUEST)
    answer = agreement_answer(measure(asked.ratings, statistics=asked.statistics))
    return answer.model_copy(update={"rows": answer.rows[:1]})  # one of all the rows


@router.post(
    "/agreement",
    tags=["agreement"],
    summary="Compare ratings by judges and people",
    **posted(AgreementRequest, AgreementAnswer, 504, example=_agreement),
)
async def compare_ratings(request: Request, deployment: CurrentDeployment) -> Response:
    """Return how well judges agree with people, with one another and with themselves. The answer is one tidy table:
    every statistic with its n and an interval over conversations. Scores are taken as given; nothing is
    judged here."""
    body = await read_body(request, deployment.limits.body)
    report = await in_thread(
        request,
        _measure,
        body,
        deployment,
        "Ask for fewer of them, send fewer ratings, or lower `bootstrap`.",
    )
    return json_response(agreement_answer(report))


def _measure(body: bytes, deployment: Deployment, patience: Patience) -> AgreementReport:
    asked = parse(AgreementRequest, body, deployment.limits.depth)
    patience.check()
    return agreement_report(asked, deployment.factors, patience.check)


def _calibration() -> CalibrateAnswer:
    asked = CalibrateRequest.model_validate(calibrate_wire.EXAMPLE_REQUEST)
    return CalibrateAnswer.of(calibrate(ratings_of(asked), terms_of(asked, load_factors())))


@router.post(
    "/calibrate",
    tags=["calibrate"],
    summary="Calibrate judges to people",
    **posted(CalibrateRequest, CalibrateAnswer, 504, example=_calibration),
)
async def calibrate_judges(request: Request, deployment: CurrentDeployment) -> Response:
    """Says what people would give, from a judge's ratings of all conversations and people's ratings of some. The answer has
    means of systems and their differences with intervals, and the judge's bias. It has maps to people's scale, and how many
    labels a precision takes.
    Nothing is judged here, and nothing is kept."""
    body = await read_body(request, body_limit(request.url.path, deployment.limits.body))
    report = await in_thread(
        request, _calibrate, body, deployment, "Send fewer factors, judges or systems in one request."
    )
    return json_response(CalibrateAnswer.of(report))


def _calibrate(body: bytes, deployment: Deployment, patience: Patience) -> Report:
    asked = parse(CalibrateRequest, body, deployment.limits.depth, SHARE)
    if asked.columns is not None and len(body) > deployment.limits.body:
        raise BodyTooLarge(
            f"The body exceeds {deployment.limits.body} bytes. Only `ratings` one by one may have up to {RATINGS_TIMES} times as "
            "many. Send fewer, or have the operator raise CRS_EVAL_MAX_BODY."
        )
    patience.check()
    ratings, terms = ratings_of(asked), terms_of(asked, deployment.factors)
    del asked, body  # what is made of them takes memory enough
    return calibrate(ratings, terms, patience.check)
