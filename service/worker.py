"""A worker: the routes without their middleware, and the use cases, over one link to the process that serves."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import structlog
import uvloop
from starlette.types import ASGIApp, Message
from structlog.contextvars import bind_contextvars

from .api.middleware.delivery import AnswerSources
from .app import routes_over, worker_state
from .encoder.threads import ONE_THREAD
from .errors import CrsEvalError
from .telemetry.logging import configure_logging
from .usecases.answering import answer_checked
from .usecases.building import stated_of
from .usecases.deployment import Deployment
from .workers.allocator import give_back_memory
from .workers.link import Link
from .workers.messages import (
    Begin,
    ClientGone,
    CountedVerdict,
    End,
    HttpWork,
    RequestEnded,
    ResponseChunk,
    ValueAnswer,
    ValueWork,
)
from .workers.models import AT, ModelAnswers, ParentModels
from .workers.pool import WorkerSetup

NICENESS = 5
"""Workers give way to the process that serves, so that probes are answered while all of them are busy."""

log = structlog.get_logger("crs_eval.worker")


def run(end: socket.socket, order: WorkerSetup) -> None:
    """Answer requests until the parent closes the link or is gone."""
    give_back_memory()
    # The parent decides when a worker ends: it lets requests finish first.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # The kernel ends a worker whose request spends its CPU time, whatever it is at; the parent knows it by this signal.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    os.nice(NICENESS)
    configure_logging(order.settings.log_format, order.settings.log_level)
    gc.freeze()
    with ONE_THREAD:
        uvloop.run(_serve(end, order))


async def _serve(end: socket.socket, order: WorkerSetup) -> None:
    link = await Link.over(end)
    models = ParentModels(link, order.upstreams, stated_of(order.settings))

    def count(*arguments: Any) -> None:
        link.send(CountedVerdict(AT.get(), arguments))

    state = worker_state(order.settings, models, count)
    app = routes_over(state)
    requests: dict[int, _Request] = {}

    def forget(number: int) -> None:
        del requests[number]
        if not requests:
            signal.setitimer(signal.ITIMER_PROF, 0)

    with contextlib.suppress(EOFError):
        while True:
            match await link.receive():
                case Begin() as begin:
                    requests[begin.number] = request = _Request(begin, link, forget)
                    signal.setitimer(signal.ITIMER_PROF, order.settings.request_cpu)
                    request.begin(app, state["deployment"])
                case ClientGone(number) if number in requests:
                    requests[number].left.set()
                case End(number) if number in requests:
                    requests[number].end()
                case ModelAnswers() as result:
                    models.take(result)


class _Request:
    """One piece of work: a request, as the application sees it, or values for a use case."""

    def __init__(self, begin: Begin, link: Link, forget: Callable[[int], object]) -> None:
        self.left = asyncio.Event()
        self._begin = begin
        self._link = link
        self._forget = forget
        self._bodies = iter([begin.work.body] if isinstance(begin.work, HttpWork) else [])
        self._memory = AnswerSources()
        self._scope: dict[str, Any] = {}
        self._task: asyncio.Task[None] | None = None

    def begin(self, app: ASGIApp, deployment: Deployment) -> None:
        self._task = asyncio.create_task(self._answer(app, deployment))
        self._task.add_done_callback(self._ended)

    def end(self) -> None:
        if self._task:
            self._task.cancel()

    def _ended(self, _: "asyncio.Task[None]") -> None:
        self._forget(self._begin.number)
        self._link.send(RequestEnded(self._begin.number, time.process_time()))

    async def _answer(self, app: ASGIApp, deployment: Deployment) -> None:
        AT.set(self._begin.number)
        try:
            match self._begin.work:
                case HttpWork(scope, _):
                    more = {"memory": self._memory, "seconds": self._begin.seconds}
                    self._scope = {**scope, "state": {**scope["state"], **more}}
                    bind_contextvars(request_id=scope["state"]["request_id"])
                    await app(self._scope, self._receive, self._send)
                case ValueWork(path, values, context):
                    bind_contextvars(**context)
                    await self._answer_values(path, values, deployment)
        except EOFError:
            pass  # the parent is gone, and so will we be
        except Exception as error:  # the parent answers that the service has a defect
            log.error("defect", exc_info=error)  # noqa: TRY400

    async def _answer_values(self, path: str, values: Mapping[str, Any], deployment: Deployment) -> None:
        limits = replace(deployment.limits, seconds=self._begin.seconds)
        outcome: object
        try:
            outcome = await answer_checked(path, values, replace(deployment, limits=limits))
        except CrsEvalError as error:
            outcome = error
        self._link.send(ValueAnswer(self._begin.number, outcome))
        await self._link.drain()

    async def _receive(self) -> Message:
        for body in self._bodies:
            return {"type": "http.request", "body": body, "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        route = kept = None
        if message["type"] == "http.response.start":
            route = getattr(self._scope.get("route"), "path", None)
            kept = self._memory if self._memory.entries is not None else None
        self._link.send(ResponseChunk(self._begin.number, message, route, kept))
        await self._link.drain()
