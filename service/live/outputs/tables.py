"""Results as rows of a database."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import Any, Final

from ...archive.archive import Archive, ArchiveDown, ArchiveRefused, Deletion, Result
from ...store.conversations.protocol import DELETED, JUDGED, Told
from .output import OutputDown, OutputRefused

HEAD: Final = (
    "conversation",
    "revision",
    "system",
    "domain",
    "ended",
    "messages",
    "replies",
    "mean",
    "failure",
    "model",
    "model_reasons",
)
TIMES: Final = ("judged_at", "first_at", "last_at")


EVERY: Final = 3600.0
"""Seconds between two looks for what is too old."""


class Tables:
    """Writes judgements, alarms and deletions to `archive`, in threads. What is older than `retention` seconds is deleted."""

    name = "tables"

    def __init__(self, archive: Archive, retention: float | None = None) -> None:
        self._archive = archive
        self._retention = retention
        self._tidied = -EVERY

    async def prepare(self) -> None:
        await _apart(self._archive.prepare)

    async def take(self, told: Sequence[Told]) -> None:
        for kind, group in groupby(told, lambda one: one.kind):
            if kind == JUDGED:
                await _apart(partial(self._archive.write, [_result(one) for one in group]))
                continue
            for one in group:
                if kind == DELETED:
                    deletion = Deletion(one.number, one.conversation)
                    await _apart(partial(self._archive.delete, deletion))
                else:
                    await _apart(partial(self._archive.alarm, _alarm(one)))

    async def tidy(self) -> None:
        if self._retention is None or time.monotonic() - self._tidied < EVERY:
            return
        self._tidied = time.monotonic()
        before = datetime.now(UTC) - timedelta(seconds=self._retention)
        await _apart(partial(self._archive.expire, before))

    async def aclose(self) -> None:
        await asyncio.to_thread(self._archive.close)


async def _apart(step: Callable[[], object]) -> None:
    try:
        await asyncio.to_thread(step)
    except ArchiveDown as error:
        raise OutputDown(str(error)) from None
    except ArchiveRefused as error:
        raise OutputRefused(str(error)) from None


def _result(told: Told) -> Result:
    found = json.loads(told.content)
    names = {"conversation": found["conversation"], "revision": found["revision"]}
    return Result(
        sequence=told.number,
        conversation={name: found[name] for name in HEAD}
        | {name: datetime.fromisoformat(found[name]) for name in TIMES},
        verdicts=[_verdict(names, verdict) for verdict in found["verdicts"]],
        log=found["log"],
        faults=[names | fault for fault in found.get("faults", ())],  # none in results of earlier releases
    )


def _verdict(names: dict[str, Any], verdict: dict[str, Any]) -> dict[str, Any]:
    rationale = verdict["rationale"]
    rest = {name: value for name, value in verdict.items() if name != "flags"}
    # No database takes this character in a text.
    return names | rest | {"rationale": rationale and rationale.replace("\x00", "")}


def _alarm(told: Told) -> dict[str, Any]:
    found = json.loads(told.content)
    names = {name: found[name] for name in ("id", "system", "factor")}
    return names | {"kind": told.kind, "at": datetime.fromisoformat(found["at"]), "content": found}
