"""`GET /live/users/{user}` and `DELETE /live/users/{user}`."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from ...api.openapi_parts import problems
from ...errors import InvalidRequest, Overloaded
from ...store.conversations.protocol import conversation_of
from ...usecases.wire.model import Outgoing
from ..deployment import RETRY_AFTER, CurrentDeployment
from ..outputs.output import OutputDown
from ..users import NoUserKeyError

router = APIRouter(tags=["live"])
UserId = Annotated[str, Path(description="Your id of the user, as in `user.id` of posts.", max_length=300)]


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
    found = [*await deployment.conversations.find({user, user_hash})]
    try:
        for output in deployment.outputs:
            found += await output.find(user_hash)
    except OutputDown as error:
        raise Overloaded(
            f"An output does not answer ({error}). Send the request again.", retry_after=RETRY_AFTER
        ) from None
    return user_hash, found
