"""Requests that compute, answered by a worker process: pure ASGI, the innermost layer before the routes."""

import asyncio
from collections import Counter
from types import SimpleNamespace

from starlette.types import ASGIApp, Receive, Scope, Send

from ...errors import CrsEvalError, Internal, Overloaded, TooCostly
from ...usecases.parsing import body_limit
from ...usecases.wire.problem import problem
from ...workers.pool import CpuSpent, Exchange, Pool, RequestEnded, ResponseChunk, WorkerLost
from ..body import read_ahead, until_gone
from ..problems import request_id_of
from ..streams import MEDIA_TYPE, ServerSentEvent, framed
from .admission import out_of_time
from .delivery import AnswerSources

GRACE = 0.75
"""Seconds past its deadline that a worker gets: a route that keeps the deadline itself answers with what it has."""

TRIES = 2
"""Workers that a request is given to: one that was killed for another request takes this one with it."""

RETRY_AFTER = 10.0
TOO_COSTLY = (
    "The request took more CPU time than one may. Send less at a time (a shorter log, fewer factors, a part of the entries), or "
    "have the operator raise CRS_EVAL_REQUEST_CPU."
)

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
        exchange = None
        error: CrsEvalError = Internal(
            "The process that handled the request ended. Its id leads to the service's log."
        )
        deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(deadline + GRACE):
                for _ in range(TRIES):
                    async with self._pool.exchange(sent, body, gone, deadline) as exchange:
                        try:
                            await passing.on(exchange)
                        except WorkerLost:
                            if passing.started:
                                break
                        except CpuSpent:
                            self._counts["cut_off"] += 1
                            error = TooCostly(TOO_COSTLY)
                            break
                        except Internal as defect:
                            error = defect
                            break
                        else:
                            return
        except TimeoutError:
            if exchange is None:
                raise self._full() from None
            self._counts["cut_off"] += 1
            error = out_of_time(self._seconds)
        finally:
            gone.cancel()
        if passing.events is None:
            raise error
        await passing.end(error)

    def _full(self) -> Overloaded:
        self._counts["shed"] += 1
        return Overloaded(
            f"Other requests kept the workers busy for {self._seconds:g} seconds. Send the request again later.",
            retry_after=RETRY_AFTER,
        )


class _Passing:
    """Passes on what a worker says to the caller of one request. `events` counts those of a stream that was begun, and is None
    for any other answer."""

    def __init__(self, scope: Scope, send: Send, gone: "asyncio.Task[None]") -> None:
        self.started = False
        self.events: int | None = None
        self._scope = scope
        self._send = send
        self._gone = gone

    async def on(self, exchange: Exchange) -> None:
        """Pass on a whole answer, or what there is of it once the caller is gone. Raises WorkerLost or CpuSpent where it ends
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
                        raise Internal(
                            "The service has a defect. Its log has the cause under this request's id."
                        )
                    return
                case WorkerLost() | CpuSpent():
                    raise said

    async def end(self, error: CrsEvalError) -> None:
        """End a stream that was begun with an `error` event: its status is sent, and a connection that breaks tells nothing."""
        last = framed(
            (self.events or 0) + 1, ServerSentEvent("error", problem(error, request_id_of(self._scope)))
        )
        await self._send({"type": "http.response.body", "body": last, "more_body": False})

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
        memory = self._scope["state"].get("memory")
        if isinstance(said.kept, AnswerSources) and memory is not None:
            memory.take(said.kept)
        self.started = True
