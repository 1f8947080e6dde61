"""`POST /calibrate`."""

from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...calibration.report import Report, calibrate
from ...errors import BodyTooLarge
from ...factors import load_factors
from ...usecases.answers import Patience
from ...usecases.calibrate import ratings_of, terms_of
from ...usecases.deployment import Deployment
from ...usecases.parsing import RATINGS_TIMES, body_limit, parse
from ...usecases.wire.calibrate import EXAMPLE_REQUEST, CalibrateAnswer, CalibrateRequest
from ..answers import in_thread, json_response
from ..body import read_body
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

router = APIRouter(tags=["calibrate"])
SHARE = 2 / 3
"""The part of its memory as models that a list of ratings takes."""

_ADVICE = "Send fewer factors, judges or systems in one request."


def _example() -> CalibrateAnswer:
    asked = CalibrateRequest.model_validate(EXAMPLE_REQUEST)
    return CalibrateAnswer.of(calibrate(ratings_of(asked), terms_of(asked, load_factors())))


@router.post(
    "/calibrate",
    summary="Calibrate judges to people",
    **posted(CalibrateRequest, CalibrateAnswer, 504, example=_example),
)
async def calibrate_judges(request: Request, deployment: CurrentDeployment) -> Response:
    """Says what people would give, from a judge's ratings of all conversations and people's ratings of some. The answer has
    means of systems and their differences with intervals, and the judge's bias. It has maps to people's scale, and how many
    labels a precision takes.
    Nothing is judged here, and nothing is kept."""
    body = await read_body(request, body_limit(request.url.path, deployment.limits.body))
    report = await in_thread(request, partial(_report, body, deployment), deployment.limits.seconds, _ADVICE)
    return json_response(CalibrateAnswer.of(report))


def _report(body: bytes, deployment: Deployment, patience: Patience) -> Report:
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
