"""LangChain's messages as `messages_to_dict`, `dumpd` and `model_dump` write them, LangGraph's states among them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import Format, Line, per_entry
from ..imported import Imported, Wanted
from ..talk.threads import read_thread, thread_in

_TYPES = frozenset(
    {"human", "ai", "system", "tool", "function", "chat", "AIMessageChunk", "HumanMessageChunk"}
)
_OWN = frozenset(
    {"additional_kwargs", "response_metadata", "tool_call_chunks", "invalid_tool_calls", "usage_metadata"}
)


def _fits(value: Any) -> bool:
    found = thread_in(value)
    return found is not None and all(map(_is_message, found[1])) and bool(found[1])


def _is_message(message: Any) -> bool:
    if not isinstance(message, Mapping):
        return False
    if "lc" in message and isinstance(message.get("kwargs"), Mapping):
        return True
    return str(message.get("type")) in _TYPES and (
        isinstance(message.get("data"), Mapping) or not _OWN.isdisjoint(message)
    )


def _read(entry: Entry, wanted: Wanted) -> Imported:
    return read_thread(entry, wanted)


def _sample(said: Sequence[Line]) -> str:
    messages: list[dict[str, Any]] = [
        {"type": "system", "data": {"content": "Recommend films.", "type": "system"}}
    ]
    for number, (role, text) in enumerate(said):
        kind = "human" if role == "user" else "ai"
        if role == "assistant":
            call = {"name": "search", "args": {"genre": "drama"}, "id": f"call_{number}", "type": "tool_call"}
            messages += [
                {
                    "type": "ai",
                    "data": {"content": "", "type": "ai", "tool_calls": [call], "additional_kwargs": {}},
                },
                {
                    "type": "tool",
                    "data": {"content": "[]", "type": "tool", "tool_call_id": call["id"], "name": "search"},
                },
            ]
        message = {
            "content": text,
            "additional_kwargs": {},
            "response_metadata": {},
            "type": kind,
            "id": f"run-{number}",
        }
        messages.append({"type": kind, "data": message})
    return json.dumps({"thread_id": "t1", "messages": messages}) + "\n"


FORMAT = Format(
    name="langchain",
    reads=(
        "LangChain's messages as `messages_to_dict`, `dumpd` and `model_dump` write them (`type: human`, `lc`, `kwargs`), in an object or "
        "a list; LangGraph's states"
    ),
    described="https://github.com/langchain-ai/langchain/blob/master/libs/core/langchain_core/messages/utils.py",
    fits=_fits,
    read=per_entry(_read),
    sample=_sample,
)
