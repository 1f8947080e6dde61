"""`POST /v1/traces`: spans of generative AI, as a collector exports them (OTLP over HTTP)."""

import asyncio

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response

from ...api.body import media_type, read_whole
from ...api.openapi_parts import problems
from ...errors import InvalidRequest, UnsupportedMediaType
from ...usecases.parsing import check_shape, shape
from ..deployment import CurrentDeployment
from ..intake import UnreadableError, read_post
from ..spans import NoExportError, posts_of

router = APIRouter(tags=["live"])
PROTOBUF = "application/x-protobuf"
JSON = "application/json"


@router.post(
    "/v1/traces",
    summary="Add spans of generative AI to conversations in progress",
    response_class=Response,
    responses=problems(400, 413, 415, 422, 500),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                JSON: {"schema": {"type": "object", "description": "OTLP, `ExportTraceServiceRequest`."}},
                PROTOBUF: {"schema": {"type": "string", "format": "binary"}},
            },
        }
    },
)
async def add_spans(request: Request, deployment: CurrentDeployment) -> Response:
    """Takes OpenTelemetry's spans with `gen_ai.input.messages` and `gen_ai.output.messages`. Spans of one `gen_ai.conversation.id`
    make a conversation; each holds the talk so far. Other spans are passed over."""
    media = media_type(request, f"{PROTOBUF} or {JSON}")
    if media not in (PROTOBUF, JSON):
        raise UnsupportedMediaType(f"The body is declared as {media!r}. Send {PROTOBUF} or {JSON}.")
    body = await read_whole(request, deployment.limits.body)
    try:
        async with deployment.turn_to_read():
            if media == JSON:
                check_shape(shape(body), deployment.limits.depth)
            posts = await asyncio.to_thread(posts_of, body, protobuf=media == PROTOBUF)
            readable = await asyncio.to_thread(lambda: list(filter(_is_readable, posts)))
    except NoExportError as error:
        fix = "send an ExportTraceServiceRequest (OTLP) in the encoding that Content-Type names"
        raise InvalidRequest.at("", str(error), fix) from None
    await deployment.conversations.put(readable)
    if media == PROTOBUF:
        return Response(b"", media_type=PROTOBUF)  # an ExportTraceServiceResponse without fields
    return Response(to_json({}), media_type=JSON)


def _is_readable(post: bytes) -> bool:
    """Return whether a worker will take it; a conversation without a name that can be one is passed over."""
    try:
        read_post(post)
    except UnreadableError:
        return False
    return True
