"""Parts of a log that no judge reads, reported with every verdict."""

from collections.abc import Iterator
from itertools import islice

from ..domain.conversation import ConversationLog, Role
from ..domain.parts import ImagePart
from ..domain.verdict import Flag

MOST_FLAGS = 20


def unread_flags(log: ConversationLog) -> tuple[Flag, ...]:
    """Flags for pictures, of which only `alt` is read, and for messages that hold nothing to judge: instructions
    (`system`, `developer`), and messages of tools without a result."""
    return tuple(islice(_flags(log), MOST_FLAGS))


def _flags(log: ConversationLog) -> Iterator[Flag]:
    for index, message in enumerate(log.messages):
        if message.role is Role.TOOL and not message.parts:
            detail = "an instruction (`system`, `developer`) or a tool's message without a result is left out"
            yield Flag("message_left_out", detail, index)
        if any(isinstance(part, ImagePart) for part in message.parts):
            yield Flag("image_not_seen", "of the picture the judge reads only what `alt` says", index)
