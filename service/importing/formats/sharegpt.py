"""ShareGPT: `{conversations: [{from, value}]}`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import Format, Line, per_entry
from ..imported import Imported, UnreadableError, Wanted
from ..talk.leftovers import Leftovers
from ..talk.messages import is_message, read_messages
from ..talk.speakers import Speaker
from ..talk.threads import thread
from ..talk.utterances import Utterance


def _fits(value: Any) -> bool:
    said = value.get("conversations") if isinstance(value, Mapping) else None
    return isinstance(said, list) and bool(said) and all(map(_is_message, said))


def _is_message(message: Any) -> bool:
    return isinstance(message, Mapping) and {"from", "value"} <= set(message) and is_message(message)


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value = entry.value
    if not isinstance(value, Mapping) or not isinstance(value.get("conversations"), list):
        raise UnreadableError("no conversations")
    leftovers = Leftovers()
    said = read_messages(value["conversations"], leftovers)
    if isinstance(value.get("system"), str) and value["system"]:
        said = [Utterance(Speaker.INSTRUCTION, None, role="system"), *said]
    return thread(entry.place, value, said, leftovers, ("conversations", "system")).imported(
        wanted, leftovers
    )


def _sample(said: Sequence[Line]) -> str:
    names = {"user": "human", "assistant": "gpt"}
    turns = [{"from": names[role], "value": text} for role, text in said]
    return json.dumps(
        [{"id": "identity_0", "conversations": [{"from": "system", "value": "Be kind."}, *turns]}]
    )


FORMAT = Format(
    name="sharegpt",
    reads="ShareGPT's `{conversations: [{from, value}]}`; `system` is left out",
    described="https://github.com/lm-sys/FastChat/blob/main/data/dummy_conversation.json",
    fits=_fits,
    read=per_entry(_read),
    sample=_sample,
)
