"""`POST /agreement`."""

import asyncio
from collections.abc import Iterator

from fastapi import APIRouter, Request
from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.responses import Response

from ...statistics import ratings
from ...statistics.agreement import AgreementReport, measure
from ...statistics.bootstrap import DRAWS
from ..body import read_body, unless_gone
from ..openapi_parts import json_body, problems
from ..patience import Patience
from ..services import Here, Services
from ..sliced_body import parse_list
from ..wire.agreement import AgreementAnswer, AgreementRequest, AgreementRow, Rating
from ..wire.score import Notice

router = APIRouter(tags=["agreement"])
_RATINGS = TypeAdapter(list[Rating])
_ADVICE = "Ask for fewer of them, send fewer ratings, or lower `bootstrap`."


@router.post(
    "/agreement",
    summary="Compare ratings by judges and people",
    response_model=AgreementAnswer,
    responses=problems(400, 413, 415, 422, 500, 504),
    openapi_extra=json_body(AgreementRequest),
)
async def compare_ratings(request: Request, here: Here) -> Response:
    """Return how well judges agree with people, with one another and with themselves. The answer is one tidy table:
    every statistic with its n and an interval over conversations. Scores are taken as given; nothing is
    judged here."""
    body = await read_body(request, here.limits.body)
    report = await unless_gone(request.receive, _measure(body, here))
    answer = AgreementAnswer(
        rows=[AgreementRow.of(row) for row in report.rows],
        warnings=[Notice(code=remark.code, detail=remark.detail) for remark in report.remarks],
    )
    return Response(to_json(answer), media_type="application/json")


async def _measure(body: bytes, here: Services) -> AgreementReport:
    """The report, made in a thread: seconds of arithmetic must not hold up other requests."""
    patience = Patience(here.limits.seconds, _ADVICE)
    try:
        return await asyncio.to_thread(_report, body, here, patience)
    finally:
        patience.end()


def _report(body: bytes, here: Services, patience: Patience) -> AgreementReport:
    asked, slices = parse_list(AgreementRequest, "ratings", _RATINGS, body, here.limits.depth)
    levels = {slug: factor.scale.max - factor.scale.min + 1 for slug, factor in here.factors.items()}
    levels |= {factor: max(0, scale.max - scale.min + 1) for factor, scale in (asked.scales or {}).items()}
    return measure(
        _values(slices, patience),
        statistics=None if asked.statistics is None else [str(name) for name in asked.statistics],
        levels=levels,
        draws=DRAWS if asked.bootstrap is None else asked.bootstrap,
        check=patience.check,
    )


def _values(slices: Iterator[list[Rating]], patience: Patience) -> Iterator[ratings.Rating]:
    for entries in slices:
        patience.check()
        yield from (rating.value() for rating in entries)
