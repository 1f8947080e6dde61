"""`POST /calibrate`."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...calibration.report import Report, calibrate
from ...calibration.sheets import Terms
from ...domain.rubric import Scale
from ...errors import BodyTooLarge, InvalidRequest
from ...factors import FactorCatalogue, load_factors
from ...statistics.ratings import Ratings
from ..answers import Patience, in_thread, json_response
from ..body import RATINGS_TIMES, body_limit, parse, read_body
from ..deployment import CurrentDeployment, Deployment
from ..openapi_parts import posted
from ..wire.calibrate import COLUMNS, EXAMPLE_REQUEST, CalibrateAnswer, CalibrateRequest

router = APIRouter(tags=["calibrate"])
SHARE = 2 / 3
"""The part of its memory as models that a list of ratings takes."""

_ADVICE = "Send fewer factors, judges or systems in one request."


def _example() -> CalibrateAnswer:
    asked = CalibrateRequest.model_validate(EXAMPLE_REQUEST)
    return CalibrateAnswer.of(calibrate(_ratings(asked), _terms(asked, load_factors())))


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
    ratings, terms = _ratings(asked), _terms(asked, deployment.factors)
    del asked, body  # what is made of them takes memory enough
    return calibrate(ratings, terms, patience.check)


def _ratings(asked: CalibrateRequest) -> Ratings:
    if asked.columns is not None:
        return Ratings.of({name: getattr(asked.columns, name) for name in COLUMNS})
    return Ratings.of(
        dict(zip(COLUMNS, zip(*asked.ratings or (), strict=True), strict=True)), by_column=False
    )


def _terms(body: CalibrateRequest, factors: FactorCatalogue) -> Terms:
    """Return what the request asks for. Raises InvalidRequest for a scale without two levels."""
    given = body.scales or {}
    for name, scale in given.items():
        if scale.max <= scale.min:
            raise InvalidRequest.at(
                f"/scales/{name}",
                f"reaches from {scale.min} to {scale.max}",
                "send a scale whose max exceeds its min",
            )
    terms: dict[str, Any] = {"reference": body.reference, "target": body.target, "level": body.level}
    return Terms(
        same=body.same or {},
        scales=given,
        known=_known_scales(factors),
        half_width=body.half_width,
        **{name: value for name, value in terms.items() if value is not None},
    )


def _known_scales(factors: FactorCatalogue) -> Mapping[str, Scale]:
    """Return the scales of this service's factors, and of the summaries of protocols whose factors share one."""
    known = {slug: factor.scale for slug, factor in factors.items()}
    for protocol in factors.protocols:
        scales = {factor.scale for factor in factors.of(protocol)}
        if len(scales) == 1:
            known[protocol.value] = scales.pop()
    return known
