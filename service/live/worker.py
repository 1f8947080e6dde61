"""One worker: takes what is queued into conversations, judges those that are due, brings results to outputs."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import structlog

from ..domain.idle import Idle
from ..store.conversations.protocol import (
    JUDGED,
    ClaimedConversation,
    Conversations,
    Entry,
    IncomingBatch,
    Level,
    OutboxEvent,
    Unreachable,
)
from .intake import UnreadableError, sent
from .outputs.output import Output, OutputRefused
from .users import NO_KEY, UserKey
from .verdicts import Judgement, Judging

BATCH: Final = 200
CLAIMS: Final = 8
"""Conversations judged at a time, each claimed by itself: one that takes long holds up no other."""

RENEWALS: Final = 3
"""Times that a claim is renewed within the length of a lease."""

TURN: Final = 64 * 1024
"""Bytes of entries read at a stretch: others are served in between."""

READ_SECONDS: Final = 1.0
PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 5.0
"""Seconds: a wait for something new; the first and the longest pause after something did not answer."""

GATHERED: Final = 0.2
"""Seconds between two deliveries of fewer than `BATCH` events: outputs do as much for one event as for many."""

TIDY: Final = 5.0
EXPIRY: Final = 3600.0

_T = TypeVar("_T")
log = structlog.get_logger("crs_eval.live")


@dataclass(frozen=True)
class Hooks:
    """Callbacks for metrics: a judgement that is recorded, a level, something set aside."""

    judged: Callable[[ClaimedConversation, Judgement], None] = lambda _, __: None
    level: Callable[[Level], None] = lambda _: None
    refused: Callable[[str], None] = lambda _: None


class Worker:
    """Worker until `stop` is set. Interrupted steps are repeated by it or another worker. Data older than
    `retention` seconds is deleted."""

    def __init__(
        self,
        conversations: Conversations,
        judging: Judging,
        outputs: Sequence[Output],
        *,
        idle: Idle | None = None,
        retention: float | None = None,
        hooks: Hooks | None = None,
        user_key: UserKey = NO_KEY,
    ) -> None:
        self._user_key = user_key
        self._conversations = conversations
        self._retention = retention
        self._expired = -EXPIRY
        self._judging = judging
        self._outputs = outputs
        self._idle = idle or Idle()
        self._hooks = hooks or Hooks()
        self._stop = asyncio.Event()
        self._at_work: set[asyncio.Task[None]] = set()

    async def prepare(self) -> None:
        """Make what is missing. Raises ConfigurationError, Unreachable."""
        await self._conversations.prepare([output.name for output in self._outputs])

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for step in (self._take, self._judge, self._tidy):
                    group.create_task(self._again(step))
                for output in self._outputs:
                    group.create_task(self._deliver(output))
        finally:
            await asyncio.gather(*self._at_work)

    def stop(self) -> None:
        """Make `run` end after its current steps."""
        self._stop.set()

    async def _again(self, step: Callable[[], Awaitable[bool]]) -> None:
        """Do a step again and again; pause when it had nothing to do, and longer while the store does not answer."""
        pause = PAUSE
        while not self._stop.is_set():
            try:
                idle = not await step()
                pause = PAUSE
            except Unreachable as error:
                log.warning("store_unreachable", reason=str(error), step=step.__name__)
                idle, pause = True, min(LONGEST_PAUSE, 2 * pause)
            if idle:
                await self._rest(pause)

    async def _take(self) -> bool:
        entries = await self._conversations.waiting(BATCH, READ_SECONDS)
        taken: list[tuple[Entry, IncomingBatch]] = []
        read = 0
        for entry in entries:
            if (read := read + len(entry.content)) > TURN:
                read = 0
                await asyncio.sleep(0)
            try:
                taken.append((entry, sent(entry, self._idle, self._user_key)))
            except UnreadableError as error:
                log.warning("set_aside", place=entry.place, reason=str(error))
                self._hooks.refused("entry")
                await self._persist(partial(self._conversations.set_aside, entry, str(error)))
        if taken:
            await self._persist(lambda: self._conversations.take(taken))
        return bool(entries)

    async def _judge(self) -> bool:
        """Claim as many conversations as there are free places."""
        if len(self._at_work) == CLAIMS:
            await asyncio.wait(self._at_work, return_when=asyncio.FIRST_COMPLETED)
            return True
        claimed = await self._conversations.due(CLAIMS - len(self._at_work))
        for due in claimed:
            task = asyncio.create_task(self._judge_safely(due))
            self._at_work.add(task)
            task.add_done_callback(self._at_work.discard)
        return bool(claimed)

    async def _judge_safely(self, due: ClaimedConversation) -> None:
        """Judge a conversation. One that fails goes to the dead letters, and ends nothing else."""
        renewing = asyncio.create_task(self._renew(due))
        try:
            await self._judge_one(due)
        except Unreachable as error:  # the claim runs out, and the conversation is judged then
            log.warning("store_unreachable", reason=str(error), step="judge")
        except Exception as error:
            log.error("judging_failed", conversation=due.conversation, exc_info=error)  # noqa: TRY400
            self._hooks.refused("judging")
            with contextlib.suppress(Unreachable):
                reason = f"judging failed: {type(error).__name__}"
                await self._persist(partial(self._conversations.give_up, due, reason))
        finally:
            renewing.cancel()

    async def _judge_one(self, due: ClaimedConversation) -> None:
        if self._stop.is_set():
            return  # the lease runs out, and another worker takes it
        if not due.messages:
            await self._persist(partial(self._conversations.drop, due))
            return
        judgement = await self._judging.judge(due)
        content = judgement.result.model_dump_json().encode()
        if await self._persist(partial(self._conversations.record, due, JUDGED, content)):
            self._hooks.judged(due, judgement)

    async def _renew(self, due: ClaimedConversation) -> None:
        while True:
            await asyncio.sleep(self._conversations.lease / RENEWALS)
            with contextlib.suppress(Unreachable):
                await self._conversations.renew(due)

    async def _tidy(self) -> bool:
        self._hooks.level(await self._conversations.level())
        if self._retention is not None and time.monotonic() - self._expired >= EXPIRY:
            self._expired = time.monotonic()
            before = time.time() - self._retention
            await self._conversations.expire(before)
            for output in self._outputs:
                with contextlib.suppress(Unreachable):
                    await output.expire(before)
        await self._rest(TIDY)
        return True

    async def _deliver(self, output: Output) -> None:
        """Bring events to an output; while it is down, the same ones."""
        with contextlib.suppress(Unreachable):  # the worker is stopped
            await self._persist(output.prepare, output)

        async def step() -> bool:
            events = await self._conversations.undelivered(output.name, BATCH, READ_SECONDS)
            if events and await self._hand_over(output, events):
                await self._persist(lambda: self._conversations.delivered(output.name, events))
                if len(events) < BATCH:
                    await self._rest(GATHERED)
            return bool(events)

        await self._again(step)

    async def _hand_over(self, output: Output, events: Sequence[OutboxEvent]) -> bool:
        """Return whether the output has these events now; what it refuses is buried."""
        try:
            await self._persist(lambda: output.take(events), output)
            return True
        except Unreachable:  # the worker is stopped
            return False
        except OutputRefused as error:
            if len(events) > 1:
                return all([await self._hand_over(output, [one]) for one in events])
            log.warning("event_refused", output=output.name, number=events[0].number, reason=str(error))
            self._hooks.refused(output.name)
            why = str(error)
            await self._persist(lambda: self._conversations.bury(output.name, events[0], why))
            return True

    async def _persist(self, step: Callable[[], Awaitable[_T]], output: Output | None = None) -> _T:
        """Repeat a step whose outcome is unknown until the store, or the output, answers; stop trying when the worker is stopped."""
        pause = PAUSE
        while True:
            try:
                return await step()
            except Unreachable as error:
                if output:
                    log.warning("output_down", output=output.name, reason=str(error))
                else:
                    log.warning("store_unreachable", reason=str(error))
                if self._stop.is_set():
                    raise
            await self._rest(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)

    async def _rest(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)


@contextlib.asynccontextmanager
async def working(worker: Worker) -> AsyncIterator["asyncio.Task[None]"]:
    """Let a worker work meanwhile, in a task."""
    task = asyncio.create_task(worker.run())
    try:
        yield task
    finally:
        worker.stop()
        await task
