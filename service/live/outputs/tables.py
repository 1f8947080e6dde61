"""Results as rows of a database."""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Any, Final, TypeVar

from ...archive.archive import Archive, ArchiveDown, ArchiveRefused, Result
from ...archive.tables import conversations
from ...store.conversations.protocol import DELETED, JUDGED, OutboxEvent
from .output import Output, OutputDown, OutputRefused

_T = TypeVar("_T")
TIMES: Final = ("judged_at", "first_at", "last_at")
HEAD: Final = frozenset(conversations.columns.keys()) - {"sequence"}


class Tables(Output):
    """Writes judgements, alarms and deletions to `archive`, in threads."""

    name = "tables"

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    async def prepare(self) -> None:
        await _apart(self._archive.prepare)

    async def take(self, events: Sequence[OutboxEvent]) -> None:
        for kind, group in groupby(events, lambda one: one.kind):
            if kind == JUDGED:
                await _apart(partial(self._archive.write, [_result(one) for one in group]))
                continue
            for one in group:
                if kind == DELETED:
                    await _apart(partial(self._archive.delete, one.conversation, one.number))
                else:
                    await _apart(partial(self._archive.alarm, _alarm(one)))

    async def find(self, user_hash: str) -> Sequence[dict[str, Any]]:
        return await _apart(partial(self._archive.find, user_hash))

    async def expire(self, before: float) -> None:
        await _apart(partial(self._archive.expire, datetime.fromtimestamp(before, UTC)))

    async def aclose(self) -> None:
        await asyncio.to_thread(self._archive.close)


async def _apart(step: Callable[[], _T]) -> _T:
    try:
        return await asyncio.to_thread(step)
    except ArchiveDown as error:
        raise OutputDown(str(error)) from None
    except ArchiveRefused as error:
        raise OutputRefused(str(error)) from None


def _result(event: OutboxEvent) -> Result:
    found = json.loads(event.content)
    names = {"conversation": found["conversation"], "revision": found["revision"]}
    return Result(
        sequence=event.number,
        # Some are in no result of an earlier release.
        conversation=_storable({name: found.get(name) for name in HEAD})
        | {name: datetime.fromisoformat(found[name]) for name in TIMES},
        verdicts=[_verdict(names, verdict) for verdict in found["verdicts"]],
        log=found["log"],
        faults=[names | fault for fault in found.get("faults", ())],  # none in results of earlier releases
    )


def _verdict(names: dict[str, Any], verdict: dict[str, Any]) -> dict[str, Any]:
    return names | _storable({name: value for name, value in verdict.items() if name != "flags"})


def _storable(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without the character that no database takes in a text."""
    return {
        name: value.replace("\x00", "") if isinstance(value, str) else value for name, value in row.items()
    }


def _alarm(event: OutboxEvent) -> dict[str, Any]:
    found = json.loads(event.content)
    names = {name: found[name] for name in ("id", "system", "factor")}
    return names | {"kind": event.kind, "at": datetime.fromisoformat(found["at"]), "content": found}
