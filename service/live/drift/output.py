"""Drift as an output: reads every judgement, tells alarms to the other outputs."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter

from ...store.conversations.protocol import ALARM, DELETED, RECOVERED, Conversations, OutboxEvent, change
from ..outputs.output import Output
from ..summary.output import SYSTEMS, ended_by_system
from .watch import Change, Noticed, Seen, Watch

ALPHA: Final = 0.01
"""The probability of a false alarm in a week, for all factors of a system together, and again for all its faults."""

OLD: Final = 3 * 86_400.0
"""Seconds from a conversation's end to its judgement after which it counts as imported from a file: it is
part of the baseline alone."""

REMEMBERED: Final = 1000
Json = dict[str, Any]


class Watched(NamedTuple):
    """The watch of a factor or a fault, with the revision of its evaluator."""

    revision: str
    alpha: float
    watch: Watch


@dataclass
class SystemState:
    """The watches of one system by factor or fault; alarms that are not reported yet; and the numbers of the last events, which
    may come again."""

    watches: dict[str, Watched] = field(default_factory=dict)
    pending: list[Json] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    @classmethod
    def load(cls, kept: bytes | None) -> "SystemState":
        """Read what `dump` wrote; an empty one where there is nothing."""
        return _adapter().validate_json(kept) if kept else cls()

    def dump(self) -> bytes:
        return _adapter().dump_json(self)


@cache
def _adapter() -> TypeAdapter[SystemState]:
    return TypeAdapter(SystemState)


class Drift(Output):
    """Watches each factor of each system, and the share of its conversations that have each fault of `homes`. Its state is kept
    with the conversations; `window` is the baseline's length in seconds. `homes` maps a fault to its home factor. A new
    `evaluator_revision` of the factor begins a new baseline and is no alarm."""

    name = "drift"

    def __init__(
        self,
        conversations: Conversations,
        window: float = 14 * 86_400.0,
        noticed: Callable[[Json], None] = lambda _: None,
        homes: Mapping[str, str] | None = None,
    ) -> None:
        self._homes = homes or {}
        self._conversations = conversations
        self._window = window
        self._noticed = noticed

    async def take(self, events: Sequence[OutboxEvent]) -> None:
        for system, ended in ended_by_system(events).items():
            await self._add(system, ended)
        if deleted := [one.conversation for one in events if one.kind == DELETED]:
            await self._forget(deleted)

    async def _add(self, system: str, events: Sequence[tuple[int, Json]]) -> None:
        """Add events to a system's state, then report changes, including alarms delayed by a crash."""
        name = f"drift:{system}"
        content = await change(self._conversations, name, partial(self._see, system, events))
        state = SystemState.load(content)
        for alarm in state.pending:
            kind = RECOVERED if alarm["change"] == Change.RECOVERED else ALARM
            await self._conversations.tell(kind, "", json.dumps(alarm).encode())
            self._noticed(alarm)
        if state.pending:
            state.pending = []
            # Where another worker was quicker, it reported the same alarms under the same ids.
            await self._conversations.save(name, state.dump(), content)

    async def _forget(self, deleted: Sequence[str]) -> None:
        """Remove conversations from the next alarm."""
        for system in json.loads(await self._conversations.load(SYSTEMS) or b"[]"):
            await change(self._conversations, f"drift:{system}", partial(_without, deleted))

    def _see(self, system: str, events: Sequence[tuple[int, Json]], kept: bytes | None) -> bytes:
        state = SystemState.load(kept)
        known = set(state.numbers)
        fresh = [(number, event) for number, event in events if number not in known]
        fresh.sort(key=lambda one: str(one[1]["judged_at"]))
        rows: dict[tuple[str, str, str, bool], list[Seen]] = {}
        factors = 1
        for _, event in fresh:
            # The first of each factor is the judge of all; the model after it judges a sample, and not at random.
            verdicts = list({one["factor"]: one for one in reversed(event["verdicts"])}.values())
            factors = max(factors, len(verdicts))
            at, old = _when(event)
            for verdict in verdicts:
                span = verdict["scale_max"] - verdict["scale_min"]
                if verdict["score"] is not None and span:
                    value = (verdict["score"] - verdict["scale_min"]) / span
                    key = (verdict["factor"], "", verdict["evaluator_revision"], old)
                    rows.setdefault(key, []).append(Seen(event["conversation"], at, value))
            for fault, revision, value in self._faults(event, verdicts):
                key = (self._homes[fault], fault, revision, old)
                rows.setdefault(key, []).append(Seen(event["conversation"], at, value))
        for (factor, fault, revision, old), seen in rows.items():
            name = f"fault:{fault}" if fault else factor
            watched = state.watches.get(name)
            if watched is None or watched.revision != revision:
                alpha = ALPHA / (len(self._homes) if fault else factors)
                watched = state.watches[name] = Watched(revision, alpha, Watch(alpha))
            watched.watch.alpha, watched.watch.window = watched.alpha, self._window
            if old:
                watched.watch.seed(seen)
                continue
            for noticed in watched.watch.see(seen):
                state.pending.append(alarm_of(system, factor, fault or None, revision, noticed))
        state.numbers = [*state.numbers, *(number for number, _ in fresh)][-REMEMBERED:]
        return state.dump()

    def _faults(self, event: Json, verdicts: Sequence[Json]) -> Iterator[tuple[str, str, float]]:
        """Yield each fault that was looked for, the revision that looked, and 1 where the conversation has it, else 0."""
        revisions = {
            one["factor"]: one["evaluator_revision"] for one in verdicts if one["status"] != "failed"
        }
        present = {one["fault"] for one in event.get("faults", ())}
        for fault, home in self._homes.items():
            if home in revisions:
                yield fault, revisions[home], float(fault in present)


def _without(deleted: Sequence[str], kept: bytes | None) -> bytes:
    state = SystemState.load(kept)
    for watched in state.watches.values():
        for name in deleted:
            watched.watch.forget(name)
    return state.dump()


def _when(event: Json) -> tuple[float, bool]:
    """Return the time at which a conversation counts, and whether it is historical."""
    judged, last = (datetime.fromisoformat(event[name]).timestamp() for name in ("judged_at", "last_at"))
    return (last, True) if judged - last > OLD else (judged, False)


def alarm_of(system: str, factor: str, fault: str | None, revision: str, noticed: Noticed) -> Json:
    """The event of a change of a factor's scores, or of the share of conversations with a fault. Means are on 0-1; the id is the
    same each time it is sent."""
    at = datetime.fromtimestamp(noticed.at, UTC).isoformat()
    return {
        "id": f"{system}/{fault or factor}/{revision}/{noticed.change.value}/{at}",
        "at": at,
        "system": system,
        "factor": factor,
        "fault": fault,
        "change": noticed.change.value,
        "evaluator_revision": revision,
        "expected": round(noticed.expected, 4),
        "margin": round(noticed.margin, 4),
        "mean": round(noticed.mean, 4),
        "conversations": noticed.number,
        "shown": list(noticed.shown),
    }
