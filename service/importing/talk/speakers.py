"""Speakers by the names that other formats have for the two who talk, their tools and their instructions."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from ..imported import UnreadableError


class Speaker(StrEnum):
    """The author of a message. Logs hold what users and assistants write."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    INSTRUCTION = "instruction"


_NAMES: Mapping[Speaker, Sequence[str]] = {
    Speaker.USER: (
        "user", "human", "seeker", "customer", "client", "initiator", "shopper", "visitor", "guest", "listener",
        "end_user", "enduser", "end user", "humanmessage", "humanmessagechunk",
    ),
    Speaker.ASSISTANT: (
        "assistant", "asst", "agent", "bot", "chatbot", "gpt", "chatgpt", "ai", "model", "recommender", "system", "crs",
        "respondent", "aimessage", "aimessagechunk", "virtual assistant", "virtual_assistant", "assistant_message",
    ),
    Speaker.TOOL: ("tool", "function", "toolmessage", "functionmessage", "observation", "tool_result", "ipython"),
    Speaker.INSTRUCTION: ("developer", "instruction", "instructions", "systemmessage", "system_prompt"),
}  # fmt: skip
SPEAKERS = {name: speaker for speaker, names in _NAMES.items() for name in names}
"""Speakers by the names that other formats give them. A chat's `system` may be its instruction: `system_talks` looks at who answers."""
FIELDS = (
    "role",
    "from",
    "speaker",
    "sender",
    "participant",
    "author",
    "sender_type",
    "senderType",
    "message_type",
    "type",
    "actor",
)
"""Fields that name the speaker, the plainest first."""


def speaker_field(message: Mapping[str, Any]) -> str | None:
    """The field that names the speaker of a message, one whose name is known before others; None where none does."""
    first = None
    for field in FIELDS:
        name = _name_in(message, field)
        if name is not None and known(name):
            return field
        first = first or (field if name is not None else None)
    return first


def named_speaker(message: Mapping[str, Any]) -> str | None:
    """The name that a message gives its speaker, in lower case; None where no field names one."""
    field = speaker_field(message)
    return None if field is None else _name_in(message, field)


def _name_in(message: Mapping[str, Any], field: str) -> str | None:
    value = message.get(field)
    if isinstance(value, Mapping):
        value = value.get("role") or value.get("type")
    if not isinstance(value, str) or not value.strip() or (field == "type" and not known(value)):
        return None
    return value.strip().casefold()


def known(name: str) -> bool:
    """Return whether it is clear whom this name means."""
    return name.strip().casefold() in SPEAKERS


def speaker_of(name: object, *, system_talks: bool = True) -> Speaker:
    """The speaker whom a name means. Raises UnreadableError for whom nobody knows."""
    plain = str(name).strip().casefold()
    if plain == "system" and not system_talks:
        return Speaker.INSTRUCTION
    speaker = SPEAKERS.get(plain)
    if speaker is None:
        raise UnreadableError(f"no such role: {str(name)[:40]!r}")
    return speaker


def system_talks(names: Sequence[str | None]) -> bool:
    """Return whether `system` is the recommender, who answers the user, and no instruction: as in USER/SYSTEM logs."""
    speakers = [SPEAKERS.get(name or "") for name in names]
    if any(
        speaker is Speaker.ASSISTANT and name != "system"
        for name, speaker in zip(names, speakers, strict=True)
    ):
        return False
    first = next((index for index, speaker in enumerate(speakers) if speaker is Speaker.USER), len(names))
    return "system" in names[first:]
