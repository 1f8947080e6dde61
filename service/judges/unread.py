"""Parts of a log that no judge reads, reported with every verdict."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
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
            yield Flag("message_left_out", _texts()["message_left_out"], index)
        if any(isinstance(part, ImagePart) for part in message.parts):
            yield Flag("image_not_seen", _texts()["image_not_seen"], index)


@cache
def _texts() -> Mapping[str, str]:
    """Return the texts of the flags by code. They stand in a file so that a better sentence leaves revisions as they are."""
    return tomllib.loads((files(__package__) / "unread.toml").read_text(encoding="utf-8"))
