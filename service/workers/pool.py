"""The workers of a process: started when needed, fed over one socket each, killed when they overrun a deadline."""

import asyncio
import contextvars
import itertools
import multiprocessing
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import structlog

from ..errors import CallerGone
from ..llm.limits import Turns
from ..llm.stack import Stack, Upstream
from ..settings import Settings
from .link import Link
from .models import Asked, Dropped, answer

WORKER = f"{__package__.removesuffix('.workers')}.worker"
"""The module whose `run` a worker runs; loaded by name, since it imports the application."""

KEYS = 4
"""Keys whose requests are computed at the same time, each with as many as there are workers. More at once would make all of
them late, and their parsed bodies would fill the memory; others wait for a turn."""

PATIENCE = 1.0
"""Seconds in which a worker must confirm that it ended a request; after that it is killed."""

log = structlog.get_logger("crs_eval.workers")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Order:
    """The start of a worker: settings without secrets, and the upstreams without their keys."""

    settings: Settings
    upstreams: Mapping[str, Upstream]


@dataclass(frozen=True, slots=True)
class Begin:
    """A request for a worker: the parts of its ASGI scope that a route reads, and its whole body."""

    number: int
    scope: Mapping[str, Any]
    body: bytes


@dataclass(frozen=True, slots=True)
class Left:
    """The caller of a request closed the connection."""

    number: int


@dataclass(frozen=True, slots=True)
class End:
    """A request is to be ended, whatever it is at."""

    number: int


@dataclass(frozen=True, slots=True)
class Said:
    """An ASGI message of a worker's answer; `route` is the template that matched, `kept` what may be remembered of it."""

    number: int
    message: Mapping[str, Any]
    route: str | None = None
    kept: object = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A worker is done with a request, with or without an answer."""

    number: int


@dataclass(frozen=True, slots=True)
class Counted:
    """Arguments of `Recorder.verdict`, for the parent's recorder."""

    arguments: tuple[Any, ...]


class WorkerLost(Exception):  # noqa: N818 - it says what happened
    """The worker ended before it had answered."""


@dataclass
class Exchange:
    """A request that a worker is at. `inbox` holds what it said, then Ended, or WorkerLost. It holds a turn until it first waits
    for a language model, or ends."""

    number: int
    turns: Turns
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    inbox: "asyncio.Queue[Said | Ended | WorkerLost]" = field(default_factory=asyncio.Queue)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    computes: bool = True

    def end_turn(self) -> None:
        """Let another request compute."""
        if self.computes:
            self.computes = False
            self.context.run(self.turns.release)

    def end(self, last: "Ended | WorkerLost") -> None:
        """Tell those who wait that nothing more comes."""
        self.end_turn()
        self.inbox.put_nowait(last)
        self.ended.set()


class Worker:
    """One process and the requests that it is at."""

    def __init__(self, process: BaseProcess, link: Link, models: Stack, count: Callable[..., None]) -> None:
        self.process = process
        self.link = link
        self.exchanges: dict[int, Exchange] = {}
        self._models = models
        self._count = count
        self._asks: dict[int, asyncio.Task[None]] = {}
        self.killed = False

    def kill(self) -> None:
        """End the process at once."""
        self.killed = True
        self.process.kill()

    @property
    def load(self) -> tuple[int, int]:
        """Return how many of its requests compute, and how many there are."""
        return sum(one.computes for one in self.exchanges.values()), len(self.exchanges)

    async def listen(self) -> None:
        """Take what the worker sends until it is gone."""
        try:
            while True:
                self._take(await self.link.receive())
        except EOFError:
            pass
        finally:
            for task in self._asks.values():
                task.cancel()
            for exchange in self.exchanges.values():
                exchange.end(WorkerLost())
            self.exchanges.clear()
            self.link.close()

    def _take(self, message: object) -> None:
        match message:
            case Said(number):
                if number in self.exchanges:
                    self.exchanges[number].inbox.put_nowait(message)
            case Ended(number):
                if exchange := self.exchanges.pop(number, None):
                    exchange.end(message)
            case Asked():
                # In the context of the request, so that calls of models belong to its trace.
                at = self.exchanges.get(-1 if message.at is None else message.at)
                context = at.context if at else None
                if at:
                    at.end_turn()
                self._asks[message.number] = asyncio.create_task(self._answer(message), context=context)
            case Dropped(number):
                if task := self._asks.get(number):
                    task.cancel()
            case Counted(arguments):
                self._count(*arguments)

    async def _answer(self, asked: Asked) -> None:
        try:
            self.link.send(await answer(asked, self._models))
        finally:
            del self._asks[asked.number]


class Pool:
    """At most `size` workers, each started when all others are busy; requests wait for a turn to compute. `order` is what each is started with;
    `models` answers what workers ask of language models; `count` takes their verdicts."""

    def __init__(self, size: int, order: Order, models: Stack, count: Callable[..., None]) -> None:
        self._size = size
        self._order = order
        self._models = models
        self._count = count
        self._workers: dict[Worker, asyncio.Task[None]] = {}
        self._turns = Turns(KEYS * size, each=size)
        self._starting = asyncio.Lock()
        self._numbers = itertools.count()
        #: Work that goes on when the request that began it has left: workers that start, and workers that must end a request.
        self._going_on: set[asyncio.Task[Any]] = set()

    @asynccontextmanager
    async def exchange(
        self, scope: Mapping[str, Any], body: bytes, gone: "asyncio.Task[None]"
    ) -> AsyncIterator[Exchange]:
        """Give a request to a worker when it has a turn; `gone` ends when the caller leaves. A request that is left before
        the worker ended it is ended there, if need be by killing the worker. Raises CallerGone where it has no turn yet."""
        await self._turn(gone)
        exchange = Exchange(next(self._numbers), self._turns)
        try:
            # A worker that starts for a request that leaves is the next one's.
            worker = await asyncio.shield(self._keep_going(self._choose()))
        except BaseException:
            exchange.end_turn()
            raise
        worker.exchanges[exchange.number] = exchange
        worker.link.send(Begin(exchange.number, scope, body))

        def leave(_: object) -> None:
            worker.link.send(Left(exchange.number))

        gone.add_done_callback(leave)
        try:
            yield exchange
        finally:
            gone.remove_done_callback(leave)
            if not exchange.ended.is_set():
                self._keep_going(self._end(worker, exchange))

    async def aclose(self) -> None:
        """Let all workers go; those that are still at something are killed."""
        await asyncio.gather(*self._going_on, return_exceptions=True)
        for worker in self._workers:
            worker.link.close()
        await asyncio.gather(*self._workers.values(), return_exceptions=True)

    def _keep_going(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.create_task(work)
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)
        return task

    async def _turn(self, gone: "asyncio.Task[None]") -> None:
        turn = asyncio.create_task(self._turns.acquire())
        try:
            await asyncio.wait((turn, gone), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if not turn.cancel():
                self._turns.release()
            raise
        if turn.cancel():
            raise CallerGone("The caller left while its request waited.")

    async def _choose(self) -> Worker:
        """A worker at nothing, else a new one while there is room, else the one at the fewest requests."""
        async with self._starting:
            least = min(self._workers, key=lambda worker: worker.load, default=None)
            if least is None or (least.exchanges and len(self._workers) < self._size):
                least = await self._start()
            return least

    async def _start(self) -> Worker:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([WORKER])
        ours, theirs = socket.socketpair()
        with theirs:
            run = import_module(WORKER).run
            process = context.Process(target=run, args=(theirs, self._order), daemon=True)
            # The first start waits for the fork server's imports.
            await asyncio.to_thread(process.start)
        worker = Worker(process, await Link.over(ours), self._models, self._count)
        self._workers[worker] = asyncio.create_task(self._keep(worker))
        return worker

    async def _keep(self, worker: Worker) -> None:
        """Listen to a worker until it is gone, and see it off."""
        try:
            await worker.listen()
        finally:
            self._workers.pop(worker, None)
            await asyncio.to_thread(worker.process.join, PATIENCE)
            if worker.process.is_alive():
                worker.kill()
                await asyncio.to_thread(worker.process.join)
            if worker.process.exitcode and not worker.killed:
                log.warning("worker_lost", exit_code=worker.process.exitcode)

    async def _end(self, worker: Worker, exchange: Exchange) -> None:
        """End a request in its worker; kill a worker that is too deep in it to notice."""
        worker.link.send(End(exchange.number))
        try:
            async with asyncio.timeout(PATIENCE):
                await exchange.ended.wait()
        except TimeoutError:
            log.warning("worker_killed")
            self._workers.pop(worker, None)  # nobody else is sent to it
            worker.kill()
