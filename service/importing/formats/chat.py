"""Chats as most teams log them, and logs of our own."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import Format, Line, per_entry
from ..imported import Imported, Wanted
from ..talk.threads import read_thread, thread_in


def _fits(value: Any) -> bool:
    return thread_in(value) is not None


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value = entry.value
    if isinstance(value, Mapping) and isinstance(value.get("log"), Mapping):
        entry = Entry(entry.place, {**value, **value["log"], "log": None})
    return read_thread(entry, wanted)


def _sample(said: Sequence[Line]) -> str:
    messages = [
        {"id": f"m{number}", "role": role, "content": text, "createdAt": f"2026-03-01T10:0{number % 10}:00Z"}
        for number, (role, text) in enumerate(said)
    ]
    log = {
        "id": "chat-1",
        "system": "our-crs",
        "messages": [{"role": "system", "content": "Be kind."}, *messages],
        "rating": 4,
        "app": "web",
    }
    return json.dumps(log) + "\n"


FORMAT = Format(
    name="chat",
    reads=(
        "`{messages: [{role, content}]}` in every usual spelling: `conversation`, `dialogue` or `turns` for `messages`; `from`, "
        "`speaker` or `type` for `role`; `text`, `utterance` or the AI SDK's `parts` for `content`; bare lists of messages; logs of "
        "our own. `system` is the recommender where it answers the user and no assistant does, else an instruction"
    ),
    described="https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message",
    fits=_fits,
    read=per_entry(_read),
    sample=_sample,
    general=True,
)
