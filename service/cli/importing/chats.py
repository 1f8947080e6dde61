"""Chats as most teams log them: `{messages: [{role, content}]}`, plain lists of messages, messages with `text`
or `parts` (as the AI SDK of Vercel has them), and `{conversations: [{from, value}]}`."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..inputs import Entry, Json
from .imported import ROLES, Imported, UnreadableError, Wanted, log_of, need, per_entry, role_of, unread

_KEPT = {"id": "id", "recommendations": "recommendations", "thoughts": "thoughts", "created_at": "created_at",
         "createdAt": "created_at"}  # fmt: skip
_LOG_FIELDS = ("system", "domain", "ground_truth", "user", "items", "outcome", "complete")
_ROLES = ("role", "from")
_TEXTS = ("content", "text", "value")
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
_CALLS = ("tool_calls", "function_call", "toolInvocations")
_INSTRUCTIONS = frozenset({"system", "developer", "tool", "function"})


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value = {"messages": entry.value} if isinstance(entry.value, list) else entry.value
    key = "conversations" if isinstance(value, dict) and "conversations" in value else "messages"
    said = need(value, key, list)
    left: Counter[str] = Counter()
    fields = {name: value.get(name) for name in _LOG_FIELDS}
    earlier = value.get("history")
    if isinstance(earlier, list):
        fields["history"] = _messages(earlier, left, "history.") or None
    if _is_labels(value.get("metadata")):
        fields["metadata"] = value["metadata"]
    name = value.get("id", value.get("conversation_id"))
    log = log_of(
        wanted, id=None if name is None else str(name), messages=_messages(said, left, "messages."), **fields
    )
    read = {key, "id", "conversation_id", *_LOG_FIELDS, *(name for name in fields if fields[name])}
    return Imported(entry.place, log, left=unread(value, read) + left)


def _messages(said: Sequence[Any], left: Counter[str], prefix: str) -> list[Json]:
    """The messages of the two who talk; what is left out is counted in `left`."""
    if not all(isinstance(message, dict) for message in said):
        raise UnreadableError("a message is no object")
    instructions = _INSTRUCTIONS - {"system"} if _system_talks(said) else _INSTRUCTIONS
    made = []
    for index, message in enumerate(said):
        role = _role(message)
        if role in instructions:
            left[f"{prefix.rstrip('.')} by {role}"] += 1
            continue
        text = _text(message, f"{prefix}parts", left)
        if text is None:
            if not any(message.get(name) for name in (*_CALLS, "parts")):
                fields = ", ".join(name for name in message if name not in _ROLES) or "nothing else"
                raise UnreadableError(f"message {index} has no content, text or parts (it has {fields})")
            left[f"{prefix.rstrip('.')} that only call tools"] += 1
            continue
        kept = {to: message[name] for name, to in _KEPT.items() if message.get(name) is not None}
        if _is_labels(message.get("metadata")):
            kept["metadata"] = message["metadata"]
        made.append({"role": role_of(role), "content": text, **kept})
        left += unread(message, {*_KEPT, *kept, *_ROLES, *_TEXTS, "parts"}, prefix)
    return made


def _role(message: Json) -> str:
    return str(next((message[name] for name in _ROLES if name in message), None)).strip().casefold()


def _system_talks(said: Sequence[Json]) -> bool:
    """Return whether `system` is the recommender, who answers the user, and no instruction: as in USER/SYSTEM logs."""
    roles = [_role(message) for message in said]
    if any(ROLES.get(role) == "assistant" and role != "system" for role in roles):
        return False
    first = next((index for index, role in enumerate(roles) if ROLES.get(role) == "user"), len(roles))
    return "system" in roles[first:]


def _text(message: Json, parts: str, left: Counter[str]) -> str | None:
    """The text of a message: a string, or the text of its parts. None where it has none."""
    given = [message[name] for name in (*_TEXTS, "parts") if message.get(name) is not None]
    for content in sorted(given, key=lambda content: not content):
        if isinstance(content, str):
            return content
        if not isinstance(content, list) or not all(isinstance(part, str | dict) for part in content):
            raise UnreadableError("a message's content is neither text nor parts")
        if content:
            return _text_of(content, parts, left)
    return None


def _text_of(content: Sequence[str | Json], parts: str, left: Counter[str]) -> str | None:
    """The texts of the parts, a line each; empty for pictures and files alone, None for calls of tools alone."""
    texts = []
    kinds = []
    for part in content:
        text = part if isinstance(part, str) else part.get("text")
        kind = "text" if isinstance(part, str) else str(part.get("type", "text"))
        if kind in _TEXT_PARTS and isinstance(text, str):
            texts.append(text)
        else:
            kinds.append(kind)
    left.update(f"{parts} of type {kind}" for kind in kinds)
    called = any(kind.startswith(("tool", "dynamic-tool", "function")) for kind in kinds)
    return "\n".join(texts) if texts or not called else None


def _is_labels(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(label, str) for label in value.values())


read_chats = per_entry(_read)
