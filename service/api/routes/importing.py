"""`POST /import`."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...usecases.answers import Patience
from ...usecases.deployment import Deployment
from ...usecases.parsing import parse
from ...usecases.plans.importing import EXAMPLE_REQUEST, ImportAnswer, ImportRequest, import_file
from ..answers import in_thread, json_response
from ..body import read_body
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

router = APIRouter(tags=["import"])
_ADVICE = "Send the file in parts."


def _example() -> dict[str, Any]:
    asked = ImportRequest.model_validate(EXAMPLE_REQUEST)
    return import_file(asked, Patience(60, _ADVICE), most=2)


@router.post(
    "/import",
    summary="Read conversations in another format",
    **posted(ImportRequest, ImportAnswer, 504, example=_example),
)
async def import_logs(request: Request, deployment: CurrentDeployment) -> Response:
    """Return the conversations of a file as logs: chats, traces, data sets, tables and transcripts, in any format that
    `crs-eval import` reads. Says which format was taken, and what has no place in a log. Nothing is judged here, and nothing is
    kept."""
    body = [await read_body(request, deployment.limits.body)]
    return json_response(await in_thread(request, _account, body, deployment, _ADVICE))


def _account(body: list[bytes], deployment: Deployment, patience: Patience) -> dict[str, Any]:
    # Taken out of its list the body is gone once it is parsed: what is made of it takes memory enough.
    asked = [parse(ImportRequest, body.pop(), deployment.limits.depth)]
    return import_file(asked.pop(), patience, deployment.limits.messages)
