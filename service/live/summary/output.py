"""The summary as an output: reads every judgement and every alarm, and keeps them with the conversations."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from ...store.conversations.protocol import (
    ALARM,
    JUDGED,
    RECOVERED,
    Conversations,
    OutboxEvent,
    Snapshot,
    change,
)
from ..outputs.output import Output
from ..result import LiveHead
from .trend import Trend

CONVERSATIONS: Final = "judged"
ALARMS: Final = "alarms"
SYSTEMS: Final = "systems"
"""The names under which it is kept."""

MOST: Final = 500
MOST_ALARMS: Final = 50
MOST_SYSTEMS: Final = 50


class Summary(Output):
    """Keeps the last judgements and alarms, and the trend of each system. Somebody who came back is in the trend once."""

    name = "summary"

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    async def take(self, events: Sequence[OutboxEvent]) -> None:
        judged = [(one, json.loads(one.content)) for one in events if one.kind == JUDGED]
        alarms = [(one, json.loads(one.content)) for one in events if one.kind in (ALARM, RECOVERED)]
        systems = ended_by_system(events)
        if judged:
            rows = [
                Snapshot(
                    one.conversation,
                    one.number,
                    _head(event),
                    one.content,
                )
                for one, event in judged
            ]
            await self._conversations.shelve(CONVERSATIONS, rows, MOST)
        if alarms:
            rows = [Snapshot(event["id"], one.number, one.content, b"") for one, event in alarms]
            await self._conversations.shelve(ALARMS, rows, MOST_ALARMS)
        if systems:
            await change(self._conversations, SYSTEMS, lambda known: _joined(known, systems))
        for system, ended in systems.items():
            await change(self._conversations, key_of(system), partial(_seen, ended))


def _head(event: Mapping[str, Any]) -> bytes:
    faults = [one["fault"] for one in event["faults"]]
    return json.dumps({**{name: event[name] for name in LiveHead.model_fields}, "faults": faults}).encode()


def _joined(known: bytes | None, systems: Iterable[str]) -> bytes:
    """Return which systems there are, those seen last in the end."""
    names = dict.fromkeys([*json.loads(known or b"[]"), *systems])
    return json.dumps([*names][-MOST_SYSTEMS:]).encode()


def _seen(events: Sequence[tuple[int, dict[str, Any]]], kept: bytes | None) -> bytes:
    trend = Trend.load(kept)
    trend.see(events)
    return trend.dump()


def ended_by_system(events: Sequence[OutboxEvent]) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """Return the first judgement of each conversation after it ended, with the event's number."""
    systems: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for one in events:
        if one.kind == JUDGED:
            event = json.loads(one.content)
            if event["revision"] == one.unfinished + 1 and event["ended"] != "in_progress":
                systems.setdefault(event["system"], []).append((one.number, event))
    return systems


def key_of(system: str) -> str:
    """The name under which a system's trend is kept."""
    return f"trend:{system}"
