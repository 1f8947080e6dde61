"""A log as a model reads it: numbered messages between delimiters that no message can forge."""

from collections.abc import Iterable, Iterator

from ...domain.conversation import ConversationLog, Message, Role
from ...prompts import neutralise

LOG_REVISION = 3
"""Raised with every change of how a log or its material is written down."""

_SPEAKER = {Role.USER: "user", Role.ASSISTANT: "recommender"}
GOES_ON = "The conversation is still going on: that it has no end yet is no fault."


def render_log(log: ConversationLog) -> str:
    """History and interaction, one message a line; further lines of a message are indented, so that
    a line that begins with a number in brackets is always ours."""
    lines = ["<log>"]
    if log.history:
        lines += ["History", *_messages(log.history, "h")]
    lines += ["Interaction", *_messages(log.messages, "")]
    if not log.complete:
        lines.append(GOES_ON)
    return "\n".join([*lines, "</log>"])


def indented(text: str) -> str:
    """Text of a stranger on one line of ours: harmless, and its further lines indented."""
    return neutralise(text).strip("\n").replace("\n", "\n    ")


def _messages(messages: Iterable[Message], mark: str) -> Iterator[str]:
    for index, message in enumerate(messages):
        yield f"[{mark}{index}] {_SPEAKER[message.role]}: {indented(message.content)}"
