"""`POST /import`."""

import asyncio

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response

from ..body import parse, read_body, unless_gone
from ..openapi_parts import json_body, problems
from ..patience import Patience
from ..plans.importing import Account, import_file
from ..services import Here, Services
from ..wire.importing import ImportAnswer, ImportRequest

router = APIRouter(tags=["import"])
_ADVICE = "Send the file in parts."


@router.post(
    "/import",
    summary="Read conversations in another format",
    response_model=ImportAnswer,
    responses=problems(400, 413, 415, 422, 500, 504),
    openapi_extra=json_body(ImportRequest),
)
async def import_logs(request: Request, here: Here) -> Response:
    """Return the conversations of a file as logs: chats, traces, data sets, tables and transcripts, in any format that
    `crs-eval import` reads. Says which format was taken, and what has no place in a log. Nothing is judged here, and nothing is
    kept."""
    body = await read_body(request, here.limits.body)
    account = await unless_gone(request.receive, _import(body, here))
    return Response(to_json(account), media_type="application/json")


async def _import(body: bytes, here: Services) -> Account:
    """The account, made in a thread: seconds of reading must not hold up other requests."""
    patience = Patience(here.limits.seconds, _ADVICE)
    try:
        return await asyncio.to_thread(_account, body, here, patience)
    finally:
        patience.end()


def _account(body: bytes, here: Services, patience: Patience) -> Account:
    return import_file(parse(ImportRequest, body, here.limits.depth), patience)
