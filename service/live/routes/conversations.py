"""`POST /live/conversations/{conversation}/messages` and `DELETE /live/conversations/{conversation}`."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from ...api.body import read_body
from ...api.openapi_parts import json_body, problems
from ...errors import InvalidRequest
from ...usecases.parsing import parse
from ...usecases.wire.model import Outgoing
from ..deployment import CurrentDeployment
from ..intake import queued
from ..users import NoUserKeyError
from ..wire import LivePost, is_name

router = APIRouter(tags=["live"])
Name = Annotated[str, Path(description="The producer's name for the conversation.", max_length=300)]


class Accepted(Outgoing):
    """The messages are safe: a crash loses none of them."""

    conversation: str
    messages: int = Field(description="Number of messages that were taken.")


@router.post(
    "/live/conversations/{conversation:path}/messages",
    status_code=202,
    summary="Add messages to a conversation in progress",
    responses=problems(400, 413, 415, 422, 500),
    openapi_extra=json_body(LivePost),
)
async def add_messages(conversation: Name, request: Request, deployment: CurrentDeployment) -> Accepted:
    """Answers once the messages are where a restart does not lose them. They are judged when the conversation says that it is
    over, or is quiet."""
    _check_name(conversation)
    body = await read_body(request, deployment.limits.body)
    async with deployment.turn_to_read():
        post = parse(LivePost, body, deployment.limits.depth)
    if not post.messages and not post.complete:
        fix = "send `messages`, or `complete: true` for a conversation that is over"
        raise InvalidRequest.at("/messages", "nothing to add", fix)
    if len(post.messages) > deployment.limits.messages:
        fix = f"send at most {deployment.limits.messages} at once"
        raise InvalidRequest.at("/messages", f"{len(post.messages)} messages", fix)
    try:
        post = deployment.user_key.hide(post)
    except NoUserKeyError as error:
        raise InvalidRequest.at("/user/id", str(error), "set it, or leave the id out") from None
    await deployment.conversations.put([queued(conversation, post)])
    return Accepted(conversation=conversation, messages=len(post.messages))


@router.delete(
    "/live/conversations/{conversation:path}",
    status_code=204,
    summary="Delete a conversation everywhere",
    response_class=Response,
    responses=problems(422, 500),
)
async def delete_conversation(conversation: Name, deployment: CurrentDeployment) -> Response:
    """Deletes what is known of the conversation: messages, results on their way, dead letters, rows. Outputs are told, so that
    they delete it as well, and alarms name it no more; messages that come later begin a new conversation."""
    _check_name(conversation)
    await deployment.conversations.forget(conversation)
    return Response(status_code=204)


def _check_name(conversation: str) -> None:
    if not is_name(conversation):
        fix = "name it with 1 to 300 characters, none of them a control character"
        raise InvalidRequest.at("/conversation", "no name of a conversation", fix)
