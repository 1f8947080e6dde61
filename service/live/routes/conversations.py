"""Conversations, `/live/conversations/{conversation}`, and the data of users, `/live/users/{user}`."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from ...api.body import read_body
from ...api.openapi_parts import json_body, problems
from ...errors import InvalidRequest, Overloaded
from ...store.conversations.protocol import conversation_of
from ...usecases.parsing import parse
from ...usecases.wire.model import Outgoing
from ..deployment import RETRY_AFTER, CurrentDeployment
from ..intake import FACTS, queued
from ..outputs.output import OutputDown
from ..users import NoUserKeyError
from ..wire import LivePost, is_name

router = APIRouter(tags=["live"])
Name = Annotated[str, Path(description="The producer's name for the conversation.", max_length=300)]
UserId = Annotated[str, Path(description="Your id of the user, as in `user.id` of posts.", max_length=300)]


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
    if not (post.messages or post.complete or any(getattr(post, name) is not None for name in FACTS)):
        fix = "send `messages`, another field, or `complete: true` for a conversation that is over"
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


class LiveUserData(Outgoing):
    """Everything that is known of a user."""

    user_hash: str = Field(description="The keyed hash that stands for the user.")
    conversations: list[dict[str, Any]] = Field(
        description="Conversations and posts whose text is still kept, as posts."
    )
    judgements: list[dict[str, Any]] = Field(
        description="Judgements in every output, as the outputs have them."
    )


@router.get("/live/users/{user:path}", summary="Export a user's data", responses=problems(422, 500))
async def get_user(user: UserId, deployment: CurrentDeployment) -> LiveUserData:
    """Answers with the conversations that name this user, and their judgements."""
    user_hash, found = await _find(user, deployment)
    # Each is a judgement or a post; several outputs have the same judgement.
    judgements = {f"{conversation_of(one)}/{one['revision']}": one for one in found if "revision" in one}
    posts = [one for one in found if "revision" not in one]
    return LiveUserData(user_hash=user_hash, conversations=posts, judgements=list(judgements.values()))


@router.delete(
    "/live/users/{user:path}",
    status_code=204,
    summary="Delete a user's conversations everywhere",
    response_class=Response,
    responses=problems(422, 500),
)
async def delete_user(user: UserId, deployment: CurrentDeployment) -> Response:
    """Deletes each conversation that names this user, as its own deletion would."""
    _, found = await _find(user, deployment)
    for conversation in sorted(set(map(conversation_of, found))):
        await deployment.conversations.forget(conversation)
    return Response(status_code=204)


async def _find(user: str, deployment: CurrentDeployment) -> tuple[str, list[dict[str, Any]]]:
    """Return the user's hash, and what the store and the outputs have of them."""
    if not user:
        raise InvalidRequest.at("/user", "is empty", "name the user at the end of the path")
    try:
        user_hash = deployment.user_key.hash(user)
    except NoUserKeyError as error:
        raise InvalidRequest.at(
            "/user", str(error), "set it, as it was when the conversations came"
        ) from None
    hashes = user_hash.split()  # several in a result of somebody who logged in
    found = [*await deployment.conversations.find({user, *hashes})]
    try:
        for output in deployment.outputs:
            for one in hashes:
                found += await output.find(one)
    except OutputDown as error:
        raise Overloaded(
            f"An output does not answer ({error}). Send the request again.", retry_after=RETRY_AFTER
        ) from None
    return user_hash, found


def _check_name(conversation: str) -> None:
    if not is_name(conversation) or "\ufffd" in conversation:  # each byte that is no UTF-8 becomes this one
        fix = "name it with 1 to 300 characters in UTF-8, none of them a control character"
        raise InvalidRequest.at("/conversation", "no name of a conversation", fix)
