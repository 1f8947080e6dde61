"""The summary as an output: reads every judgement and every alarm, and keeps them with the conversations."""

import json
from collections.abc import Sequence
from typing import Any, Final

from ...store.conversations.protocol import (
    ALARM,
    JUDGED,
    RECOVERED,
    Conversations,
    OutboxEvent,
    Snapshot,
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
                    json.dumps({name: event[name] for name in LiveHead.model_fields}).encode(),
                    one.content,
                )
                for one, event in judged
            ]
            await self._conversations.shelve(CONVERSATIONS, rows, MOST)
        if alarms:
            rows = [Snapshot(event["id"], one.number, one.content, b"") for one, event in alarms]
            await self._conversations.shelve(ALARMS, rows, MOST_ALARMS)
        if systems:
            await self._name(systems)
        for system, ended in systems.items():
            await self._add(system, ended)

    async def _add(self, system: str, events: Sequence[tuple[int, dict[str, Any]]]) -> None:
        saved = False
        while not saved:
            before = await self._conversations.load(key_of(system))
            trend = Trend.load(before)
            trend.see(events)
            saved = await self._conversations.save(key_of(system), trend.dump(), before)

    async def _name(self, systems: Sequence[str] | dict[str, Any]) -> None:
        """Note which systems there are, those seen last in the end."""
        while True:
            before = await self._conversations.load(SYSTEMS)
            known: list[str] = json.loads(before) if before else []
            if set(systems) <= set(known):
                return
            known = [*known, *(one for one in systems if one not in known)][-MOST_SYSTEMS:]
            if await self._conversations.save(SYSTEMS, json.dumps(known).encode(), before):
                return


def ended_by_system(events: Sequence[OutboxEvent]) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """Return first judgements of ended conversations with their numbers. A resumed one was counted before; an
    open one will be."""
    systems: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for one in events:
        if one.kind == JUDGED:
            event = json.loads(one.content)
            if event["revision"] == 1 and event["ended"] != "in_progress":
                systems.setdefault(event["system"], []).append((one.number, event))
    return systems


def key_of(system: str) -> str:
    """The name under which a system's trend is kept."""
    return f"trend:{system}"
