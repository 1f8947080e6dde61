"""Read what producers wrote as messages to add to a conversation."""

from pydantic import ValidationError

from ..domain.idle import Idle
from ..store.conversations.protocol import Entry, IncomingBatch
from .users import NO_KEY, NoUserKeyError, UserKey
from .wire import LivePost, QueuedPost

FACTS = ("system", "domain", "history", "user", "items", "ground_truth", "accepted", "metadata", "trace")


class UnreadableError(Exception):
    """An entry that is no post. The message names the field and what is wrong, and quotes nothing."""


def read_post(content: bytes, user_key: UserKey = NO_KEY) -> QueuedPost:
    """The post in a line or an entry, without the id of its user. Raises UnreadableError."""
    try:
        return user_key.hide(QueuedPost.model_validate_json(content))
    except NoUserKeyError as error:
        raise UnreadableError(f"user/id: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = "/".join(map(str, first["loc"]))
        raise UnreadableError(f"{place or 'the line'}: {first['msg']}") from None


def queued(conversation: str, post: LivePost) -> bytes:
    """A post as an entry of the queue."""
    named = QueuedPost.model_construct(**{**dict(post), "conversation": conversation})
    return named.model_dump_json(exclude_none=True).encode()


def sent(entry: Entry, idle: Idle, user_key: UserKey = NO_KEY) -> IncomingBatch:
    """Return what an entry adds. A message without `id` and `index` is known by its place in the queue. Raises UnreadableError."""
    post = read_post(entry.content, user_key)
    facts = {name: value for name in FACTS if (value := _json(post, name)) is not None}
    return IncomingBatch(
        conversation=post.conversation,
        messages={
            _key(message.id, message.index, f"{entry.place}.{number}"): message.model_dump_json(
                exclude_none=True
            )
            for number, message in enumerate(post.messages)
        },
        facts=facts,
        complete=post.complete is True,
        idle=None if post.system is None else idle.of(post.system),
        usual=idle.usual,
    )


def _json(post: LivePost, name: str) -> str | None:
    """A field of the conversation as JSON; None where the post does not say it."""
    if getattr(post, name) is None:
        return None
    return post.model_dump_json(include={name}, exclude_none=True)


def _key(name: str | None, index: int | None, place: str) -> str:
    if name is not None:
        return f"id:{name}"
    return f"index:{index}" if index is not None else f"place:{place}"
