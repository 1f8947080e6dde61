"""Requests that compute, answered by a worker process: pure ASGI, the innermost layer before the routes."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from types import SimpleNamespace

from starlette.types import ASGIApp, Receive, Scope, Send

from ...errors import CrsEvalError, DeadlineExceeded, Internal, TooCostly
from ...usecases.parsing import body_limit
from ...workers.delegation import DEFECT, LOST, NoTurn, delegate
from ...workers.messages import HttpWork, RequestEnded, ResponseChunk
from ...workers.pool import CpuSpent, Exchange, Pool, WorkerLost
from ..body import read_ahead, until_gone
from ..streams import MEDIA_TYPE, end_stream

COUNTED: Mapping[type[CrsEvalError], str] = {
    NoTurn: "shed",
    TooCostly: "cut_off",
    DeadlineExceeded: "cut_off",
}
"""The names under which metrics count requests that workers did not answer."""

_KEPT = ("type", "asgi", "http_version", "method", "scheme", "path", "raw_path", "query_string", "headers", "root_path", "client", "server")  # fmt: skip


class Offload:
    """Gives requests with a body to `pool` and passes its answers on; batches, whose lines come here one by one, are answered
    here. What takes longer than `seconds` is ended, and answered with DeadlineExceeded."""

    def __init__(self, app: ASGIApp, pool: Pool, max_body: int, seconds: float, counts: Counter[str]) -> None:
        self.app = app
        self._pool = pool
        self._max_body = max_body
        self._seconds = seconds
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] == "/batch":
            await self.app(scope, receive, send)
            return
        body, rest = await self._body(scope, receive)
        if body is None:
            await self.app(scope, rest, send)
        else:
            await self._hand_over(scope, body, rest, send)

    async def _body(self, scope: Scope, receive: Receive) -> tuple[bytes | None, Receive]:
        """The whole body, None where it is larger than may be; and what to receive from then on."""
        most = body_limit(scope["path"], self._max_body)
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        if declared.isdigit() and int(declared) > most:
            return None, receive
        messages, again = await read_ahead(receive, most)
        if messages[-1].get("more_body") or messages[-1]["type"] != "http.request":
            return None, again
        return b"".join(message.get("body", b"") for message in messages), again

    async def _hand_over(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        state = {
            name: scope["state"][name]
            for name in ("request_id", "batch_line", "api_key")
            if name in scope["state"]
        }
        sent = {**{name: scope[name] for name in _KEPT if name in scope}, "state": state}
        gone = asyncio.create_task(until_gone(receive))
        passing = _Passing(scope, send, gone)
        try:
            await delegate(self._pool, HttpWork(sent, body), self._seconds, gone, passing.on)
        except CrsEvalError as error:
            if name := COUNTED.get(type(error)):
                self._counts[name] += 1
            if passing.events is None:
                raise
            await end_stream(passing.events, scope, send, error)
        finally:
            gone.cancel()


class _Passing:
    """Passes on what a worker says to the caller of one request. `events` counts those of a stream that was begun, and is None
    for any other answer."""

    def __init__(self, scope: Scope, send: Send, gone: "asyncio.Task[None]") -> None:
        self._started = False
        self.events: int | None = None
        self._scope = scope
        self._send = send
        self._gone = gone

    async def on(self, exchange: Exchange) -> None:
        """Pass on a whole answer, or what there is of it once the caller is gone. Raises WorkerLost, CpuSpent or Internal where it ends
        before."""
        more = True
        while True:
            said = await exchange.inbox.get()
            match said:
                case ResponseChunk():
                    self._note(said)
                    more = said.message["type"] == "http.response.start" or said.message.get(
                        "more_body", False
                    )
                    await self._send(dict(said.message))
                case RequestEnded():
                    if more and not self._gone.done():  # the worker has logged why
                        raise Internal(DEFECT)
                    return
                case WorkerLost() if self._started:
                    raise Internal(LOST)
                case WorkerLost() | CpuSpent():
                    raise said

    def _note(self, said: ResponseChunk) -> None:
        match said.message:
            case {"type": "http.response.start", "headers": headers} if any(
                name == b"content-type" and value.startswith(MEDIA_TYPE.encode()) for name, value in headers
            ):
                self.events = 0
            case {"body": bytes(body)} if self.events is not None:
                self.events += body.startswith(b"id: ")
        if said.route is not None:
            self._scope["route"] = SimpleNamespace(path=said.route)
        if said.kept is not None:
            self._scope["state"]["memory"] = said.kept
        self._started = True
