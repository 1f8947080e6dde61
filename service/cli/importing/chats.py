"""Chats as most teams log them: `{messages: [{role, content}]}`, plain lists of messages, and
`{conversations: [{from, value}]}`."""

from typing import Any

from ..inputs import Entry, Json
from .imported import Imported, UnreadableError, Wanted, log_of, need, per_entry, role_of

_KEPT = ("id", "recommendations", "thoughts", "created_at")
_LOG_FIELDS = ("system", "domain", "ground_truth", "user", "items", "outcome", "complete")
_INSTRUCTIONS = frozenset({"system", "developer", "tool", "function"})


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value = entry.value
    if isinstance(value, list):
        value = {"messages": value}
    if isinstance(value, dict) and "conversations" in value:
        said = need(value, "conversations", list)
        messages = [_message(m, "from", "value") for m in said if not _is_instruction(m, "from")]
    else:
        said = need(value, "messages", list)
        messages = [_message(m, "role", "content") for m in said if not _is_instruction(m, "role")]
    fields = {name: value.get(name) for name in _LOG_FIELDS if isinstance(value, dict)}
    name = value.get("id", value.get("conversation_id"))
    return Imported(
        entry.place, log_of(wanted, id=None if name is None else str(name), messages=messages, **fields)
    )


def _is_instruction(message: Any, key: str) -> bool:
    return isinstance(message, dict) and str(message.get(key)).casefold() in _INSTRUCTIONS


def _message(message: Any, role: str, content: str) -> Json:
    if not isinstance(message, dict):
        raise UnreadableError("a message is no object")
    kept = {name: message[name] for name in _KEPT if message.get(name) is not None}
    return {"role": role_of(message.get(role)), "content": _text(message.get(content)), **kept}


def _text(content: Any) -> str:
    """The text of a content that is a string, null, or a list of parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return "\n".join(str(part["text"]) for part in content if isinstance(part.get("text"), str))
    raise UnreadableError("a message's content is neither text nor parts")


read_chats = per_entry(_read)
