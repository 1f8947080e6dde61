"""`POST /calibrate`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from pydantic import TypeAdapter
from starlette.responses import Response

from ...calibration.ratings.sheets import Terms
from ...calibration.ratings.table import NAMES, NUMBERS, Table
from ...calibration.report import Report, calibrate
from ...domain.rubric import Scale
from ...errors import InvalidRequest
from ...factors import FactorCatalogue
from ..answers import Patience, in_thread, json_response
from ..body import body_limit, read_body
from ..openapi_parts import posted
from ..services import Here, Services
from ..sliced_body import parse_list
from ..wire.calibrate import CalibrateAnswer, CalibrateRequest, CalibrationColumns, CalibrationRating

router = APIRouter(tags=["calibrate"])
_RATINGS = TypeAdapter(list[CalibrationRating])
_COLUMNS = (*NAMES, *NUMBERS, "score", "probability", "kind")
_ADVICE = "Send fewer factors, judges or systems in one request."


@router.post(
    "/calibrate",
    summary="Calibrate judges to people",
    **posted(CalibrateRequest, CalibrateAnswer, 504),
)
async def calibrate_judges(request: Request, here: Here) -> Response:
    """Says what people would give, from a judge's ratings of all conversations and people's ratings of some. The answer has
    means of systems and their differences with intervals, and the judge's bias. It has maps to people's scale, and how many
    labels a precision takes.
    Nothing is judged here, and nothing is kept."""
    body = await read_body(request, body_limit(request.url.path, here.limits.body))
    report = await in_thread(request, partial(_report, body, here), here.limits.seconds, _ADVICE)
    return json_response(CalibrateAnswer.of(report))


def _report(body: bytes, here: Services, patience: Patience) -> Report:
    limits = here.limits
    asked, slices = parse_list(CalibrateRequest, "ratings", _RATINGS, body, limits.depth, most=limits.body)
    terms = _terms(asked, here.factors)
    return calibrate(_table(asked, slices, patience).ratings(), terms, patience.check)


def _table(asked: CalibrateRequest, slices: Iterator[list[CalibrationRating]], patience: Patience) -> Table:
    table = Table(by_column=asked.columns is not None)
    if asked.columns is not None:
        _add_columns(table, asked.columns)
        return table
    for ratings in slices:
        patience.check()
        _add_ratings(table, ratings)
    return table


def _add_columns(table: Table, columns: CalibrationColumns) -> None:
    """Add the ratings of a request that sends columns."""
    table.add({name: getattr(columns, name) for name in _COLUMNS})


def _add_ratings(table: Table, ratings: Sequence[CalibrationRating]) -> None:
    """Add the ratings of a request that sends them one by one."""
    given = set().union(*(rating.model_fields_set for rating in ratings))
    table.add({name: [getattr(rating, name) for rating in ratings] for name in _COLUMNS if name in given})


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
