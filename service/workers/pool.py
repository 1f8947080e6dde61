"""The workers of a process: fed over one socket each, one request computing in each, killed when one overruns its deadline."""

import asyncio
import contextvars
import itertools
import multiprocessing
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import structlog

from ..domain.caller import CALLER
from ..domain.fair_queue import FairSemaphore, HeldTurn
from ..errors import CallerGone
from ..llm.stack import Stack, Upstream
from ..settings import Settings
from .link import Link
from .messages import Begin, ClientGone, CountedVerdict, End, RequestEnded, ResponseChunk, ValueAnswer, Work
from .models import Dropped, ModelAnswers, ModelCall

WORKER = f"{__package__.removesuffix('.workers')}.worker"
"""The module whose `run` a worker runs; loaded by name, since it imports the application."""

SPARE = 1
"""Workers beyond the usual number, for callers whose requests find all of those at other callers' requests."""

STOP_SECONDS = 1.0
"""Seconds in which a worker must confirm that it ended a request; after that it is killed."""

log = structlog.get_logger("crs_eval.workers")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """The start of a worker: settings without secrets, and the upstreams without their keys."""

    settings: Settings
    upstreams: Mapping[str, Upstream]


class WorkerLost(Exception):  # noqa: N818 - it says what happened
    """The worker ended before it had answered."""


class CpuSpent(Exception):  # noqa: N818 - it says what happened
    """The worker was ended, since the request took more CPU time than one may."""


@dataclass
class Exchange:
    """A request that a worker is at. `inbox` holds what it said, then RequestEnded, or the error that it ended with. It holds `turn`
    until it first waits for a language model, or ends."""

    number: int
    queue: FairSemaphore
    turn: HeldTurn | None
    worker: "WorkerProcess | None" = None
    cpu: float = 0.0
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    inbox: "asyncio.Queue[ResponseChunk | ValueAnswer | RequestEnded | WorkerLost | CpuSpent]" = field(
        default_factory=asyncio.Queue
    )
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def end_turn(self, cpu: float | None = None) -> None:
        """Let another request compute; `cpu` is the CPU time of the worker by now."""
        if self.turn:
            self.queue.release(self.turn, None if cpu is None else cpu - self.cpu)
            self.turn = None

    def end(self, last: "RequestEnded | WorkerLost | CpuSpent") -> None:
        """Tell those who wait that nothing more comes."""
        self.end_turn(last.cpu if isinstance(last, RequestEnded) else None)
        self.inbox.put_nowait(last)
        self.ended.set()


class WorkerProcess:
    """One process and the requests that it is at."""

    def __init__(self, process: BaseProcess, link: Link, models: Stack, count: Callable[..., None]) -> None:
        self.process = process
        self.link = link
        self.exchanges: dict[int, Exchange] = {}
        self._models = models
        self._count = count
        self._asks: dict[int, asyncio.Task[None]] = {}
        self.cpu = 0.0
        self.killed = False

    def kill(self) -> None:
        self.killed = True
        self.process.kill()

    @property
    def load(self) -> tuple[int, int]:
        """Return how many of its requests compute, and how many there are."""
        return sum(one.turn is not None for one in self.exchanges.values()), len(self.exchanges)

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
            self.link.close()

    def see_off(self) -> None:
        """End what the process, which is gone, was at. The request that came last is the one that spent its CPU time."""
        last = max(self.exchanges, default=None) if self.process.exitcode == -signal.SIGPROF else None
        for number, exchange in self.exchanges.items():
            exchange.end(CpuSpent() if number == last else WorkerLost())
        self.exchanges.clear()

    def _take(self, message: object) -> None:
        match message:
            case ResponseChunk(number) | ValueAnswer(number):
                if number in self.exchanges:
                    self.exchanges[number].inbox.put_nowait(message)
            case RequestEnded(number):
                self.cpu = message.cpu
                if exchange := self.exchanges.pop(number, None):
                    exchange.end(message)
            case ModelCall():
                self.cpu = message.cpu
                if (at := message.at) is not None and at in self.exchanges:
                    self.exchanges[at].end_turn(message.cpu)
                self._asks[message.number] = asyncio.create_task(
                    self._answer(message), context=self._context(message.at)
                )
            case Dropped(number):
                if task := self._asks.get(number):
                    task.cancel()
            case CountedVerdict(at, arguments):
                self._context(at).run(self._count, *arguments)

    def _context(self, number: int | None) -> contextvars.Context:
        """Return the context of a request, so that its verdicts and calls of models belong to its trace."""
        exchange = self.exchanges.get(-1 if number is None else number)
        return exchange.context if exchange else contextvars.copy_context()

    async def _answer(self, asked: ModelCall) -> None:
        """Ask in the parent what the worker wants to know."""
        loop, left = asyncio.get_running_loop(), asked.call.deadline
        call = replace(asked.call, deadline=None if left is None else loop.time() + left)
        try:
            answers = await self._models.complete(asked.requests, call)
            takes = tuple(map(self._models.capability, asked.requests))
            self.link.send(ModelAnswers(asked.number, tuple(answers), tuple(call.entries or ()), takes))
        finally:
            del self._asks[asked.number]


def _start_deaf(process: BaseProcess) -> None:
    """Start a worker, and a fork server that no signal to all processes ends: workers would die with it. It ends with this process."""
    stops = {signal.SIGINT, signal.SIGTERM}
    resource_tracker.ensure_running()  # its start unblocks both
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)


class Pool:
    """At most `size` workers, and SPARE, each started when all others are busy; requests wait in a fair queue for a turn to compute.
    `order` is what each is started with; `models` answers what workers ask of language models; `count` takes their verdicts."""

    def __init__(self, size: int, order: WorkerSetup, models: Stack, count: Callable[..., None]) -> None:
        self._size = size
        self._order = order
        self._models = models
        self._count = count
        self._workers: dict[WorkerProcess, asyncio.Task[None]] = {}
        self._queue = FairSemaphore(size, SPARE if size else 0)
        self._starting = asyncio.Lock()
        self._numbers = itertools.count()
        #: Work that goes on when the request that began it has left: workers that start, and workers that must end a request.
        self._going_on: set[asyncio.Task[Any]] = set()

    async def prepare(self) -> None:
        """Start a worker, so that the first request does not wait for it."""
        async with self._starting:
            if self._size and not self._workers:
                await self._start()

    @asynccontextmanager
    async def exchange(
        self, work: Work, gone: "asyncio.Future[None]", deadline: float
    ) -> AsyncIterator[Exchange]:
        """Give work to a worker when it has a turn; `gone` ends when the caller leaves. The worker learns how long it is
        until `deadline` (event loop clock). A request that is left before the worker ended it is ended there, if need be by
        killing the worker. Raises CallerGone where it has no turn yet."""
        exchange = Exchange(next(self._numbers), self._queue, await self._turn(gone))
        try:
            # A worker that starts for a request that leaves is the next one's.
            worker = await asyncio.shield(self._keep_going(self._assign(exchange)))
        except BaseException:
            exchange.end_turn()
            if exchange.worker:
                exchange.worker.exchanges.pop(exchange.number, None)
            raise
        left = deadline - asyncio.get_running_loop().time()
        worker.link.send(Begin(exchange.number, work, max(0.0, left)))

        def leave(_: object) -> None:
            worker.link.send(ClientGone(exchange.number))

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

    async def _turn(self, gone: "asyncio.Future[None]") -> HeldTurn:
        turn = asyncio.create_task(self._queue.acquire(CALLER.get()))
        try:
            await asyncio.wait((turn, gone), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if not turn.cancel():
                self._queue.release(turn.result(), 0.0)
            raise
        if turn.cancel():
            raise CallerGone("The caller left while its request waited.")
        return turn.result()

    async def _assign(self, exchange: Exchange) -> WorkerProcess:
        """Give a request to an idle worker, else to a new one while there is room, else to the one at the fewest requests. One that
        left is given to nobody."""
        async with self._starting:
            worker = min(self._workers, key=lambda one: one.load, default=None)
            room = self._size + SPARE if worker and worker.load[0] else self._size
            if worker is None or (worker.exchanges and len(self._workers) < room):
                worker = await self._start()
            if exchange.turn:
                worker.exchanges[exchange.number] = exchange
                exchange.worker, exchange.cpu = worker, worker.cpu
            return worker

    async def _start(self) -> WorkerProcess:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([WORKER, "numpy"])
        ours, theirs = socket.socketpair()
        with theirs:
            run = import_module(WORKER).run
            process = context.Process(target=run, args=(theirs, self._order), daemon=True)
            # The first start waits for the fork server's imports.
            await asyncio.to_thread(_start_deaf, process)
        worker = WorkerProcess(process, await Link.over(ours), self._models, self._count)
        self._workers[worker] = asyncio.create_task(self._keep(worker))
        return worker

    async def _keep(self, worker: WorkerProcess) -> None:
        """Listen to a worker until it is gone, and see it off."""
        try:
            await worker.listen()
        finally:
            self._workers.pop(worker, None)
            await asyncio.to_thread(worker.process.join, STOP_SECONDS)
            if worker.process.is_alive():
                worker.kill()
                await asyncio.to_thread(worker.process.join)
            worker.see_off()
            if worker.process.exitcode and not worker.killed:
                log.warning("worker_lost", exit_code=worker.process.exitcode)

    async def _end(self, worker: WorkerProcess, exchange: Exchange) -> None:
        """End a request in its worker; kill a worker that is too deep in it to notice."""
        worker.link.send(End(exchange.number))
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await exchange.ended.wait()
        except TimeoutError:
            log.warning("worker_killed")
            self._workers.pop(worker, None)  # nobody else is sent to it
            worker.kill()
