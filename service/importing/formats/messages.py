"""JSON Lines with a message a line."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..format import Format, Line
from ..rows.messages import read_rows
from ..talk.messages import is_message


def _fits(value: Any) -> bool:
    return isinstance(value, Mapping) and is_message(value)


def _sample(said: Sequence[Line]) -> str:
    lines = [
        {
            "session_id": "s1",
            "turn": number,
            "sender": role,
            "text": text,
            "ts": 1772359200 + number,
            "channel": "web",
        }
        for number, (role, text) in enumerate(said)
    ]
    return "".join(json.dumps(line) + "\n" for line in reversed(lines))


FORMAT = Format(
    name="messages",
    reads=(
        "JSON with a message a line, brought together by `conversation_id`, `session_id`, `thread_id` or the like, in the order of their "
        "`turn`, `index` or time where each has one"
    ),
    described="https://jsonlines.org",
    fits=_fits,
    read=read_rows,
    sample=_sample,
    general=True,
)
