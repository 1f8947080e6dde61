"""Read what producers wrote as messages to add to a conversation."""

from pydantic import ValidationError

from ..domain.idle import Idle
from ..store.conversations.protocol import Entry, IncomingBatch
from ..usecases.validation_errors import field_errors
from .users import NO_KEY, NoUserKeyError, UserKey
from .wire import LiveMessage, LivePost, QueuedPost

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
        first = field_errors(QueuedPost, error.errors(include_url=False, include_input=False))[0]
        raise UnreadableError(f"{first.pointer or 'the line'}: {first.detail}; {first.fix}") from None


def queued(conversation: str, post: LivePost) -> bytes:
    """A post as an entry of the queue."""
    named = QueuedPost.model_construct(**{**dict(post), "conversation": conversation})
    return named.model_dump_json(exclude_none=True).encode()


def sent(entry: Entry, idle: Idle, user_key: UserKey = NO_KEY) -> IncomingBatch:
    """Return what an entry adds. A message without `id` and `index` is known by its place in the queue. Raises UnreadableError."""
    post = read_post(entry.content, user_key)
    if post.outcome is not None:
        post = post.model_copy(update={"accepted": post.outcome.accepted})
    facts = {
        name: post.model_dump_json(include={name}, exclude_none=True)
        for name in FACTS
        if getattr(post, name) is not None
    }
    if post.user is not None and post.user.id is not None:
        facts |= dict.fromkeys(post.user.id.split(), "{}")  # they stay when another user comes
    return IncomingBatch(
        conversation=post.conversation,
        messages={
            _key(message, f"{entry.place}.{number}"): message.model_dump_json(exclude_none=True)
            for number, message in enumerate(post.messages)
        },
        facts=facts,
        complete=post.complete is True,
        idle=None if post.system is None else idle.of(post.system),
        usual=idle.usual,
    )


def _key(message: LiveMessage, place: str) -> str:
    """The name under which a message counts once. An id or an index may be that of a turn, which the user and the recommender share."""
    if message.id:
        return f"id:{message.role}:{message.id}"
    return f"index:{message.role}:{message.index}" if message.index is not None else f"place:{place}"
