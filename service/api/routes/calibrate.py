"""`POST /calibrate`."""

from collections.abc import Iterator
from functools import partial

from fastapi import APIRouter, Request
from pydantic import TypeAdapter
from starlette.responses import Response

from ...calibration.ratings.table import Table
from ...calibration.report import Report, calibrate
from ..answers import Patience, in_thread, json_response
from ..body import body_limit, read_body
from ..openapi_parts import posted
from ..plans.ratings import add_columns, add_ratings, terms_of
from ..services import Here, Services
from ..sliced_body import parse_list
from ..wire.calibrate import CalibrateAnswer, CalibrateRequest, CalibrationRating

router = APIRouter(tags=["calibrate"])
_RATINGS = TypeAdapter(list[CalibrationRating])
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
    terms = terms_of(asked, here.factors)
    return calibrate(_table(asked, slices, patience).ratings(), terms, patience.check)


def _table(asked: CalibrateRequest, slices: Iterator[list[CalibrationRating]], patience: Patience) -> Table:
    table = Table(by_column=asked.columns is not None)
    if asked.columns is not None:
        add_columns(table, asked.columns)
        return table
    for ratings in slices:
        patience.check()
        add_ratings(table, ratings)
    return table
