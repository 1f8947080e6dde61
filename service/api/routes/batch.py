"""`POST /batch`: many requests as lines of one body, answered as lines while they finish."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field
from pydantic_core import from_json, to_json
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from ...errors import (
    BodyTooLarge,
    CallerGone,
    CrsEvalError,
    InvalidRequest,
    NotFound,
    Overloaded,
    RequestTimeout,
    UnsupportedMediaType,
)
from ...usecases.parsing import Limits, parse
from ...usecases.wire.model import Incoming, Outgoing
from ...usecases.wire.problem import problem
from ..answers import answer_of
from ..body import media_type, until_gone
from ..deployment import CurrentDeployment
from ..ndjson import one_line, split_lines
from ..openapi_parts import NDJSON, ndjson_answer, ndjson_body, problems
from ..problems import request_id_of
from ..replays import HEADER, Replays, idempotency_key

CustomId = Annotated[str, Field(min_length=1, max_length=256)]


class BatchLine(Incoming):
    """One request of a batch: a line of its body."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "custom_id": "log-1",
                    "path": "/score/coherence",
                    "body": {
                        "log": {
                            "messages": [
                                {"role": "user", "content": "Something calm, please."},
                                {"role": "assistant", "content": "Try Paper Lanterns: slow, set by the sea."},
                            ]
                        }
                    },
                }
            ]
        }
    )

    custom_id: CustomId = Field(description="The caller's name of the line; no two lines may share one.")
    path: str = Field(max_length=256)
    """The route that the body goes to, such as `/score`; always by POST."""
    body: dict[str, Any] = Field(description="The body as it would be posted to that route.")


class BatchResult(Outgoing):
    """The outcome of one line, as soon as it is known: a line of the answer."""

    line: int = Field(description="The line's number in the request's body, from 1, empty lines counted.")
    custom_id: str | None = Field(description="Null where the line could not be read.")
    status: int = Field(description="The status that the route would have answered with.")
    body: dict[str, Any] = Field(description="The route's answer, or a problem.")


router = APIRouter(tags=["batch"])
PATH = "/batch"
_TAKEN = re.compile(r"application/(x-)?(ndjson|jsonl|jsonlines)|text/plain")
_NAME = re.compile(rb'(?<!\s)\s*\{\s*"custom_id"\s*:\s*("(?:[^"\\]|\\.){0,3072}")')

AT_ONCE = 32
"""Lines of one batch that are worked on at the same time."""

OUTBOX = 8 * 1024 * 1024
"""Bytes of finished results that wait for a caller who does not read yet. A window of 500 lines with twelve verdicts each fits.
So a caller that first sends it all and then reads is not stuck."""

MOST_LINES = 250_000
"""Lines of one batch: what it remembers of each, to find a name that comes twice, is bounded too."""

LOOK = 0.5
"""Seconds between two looks at a caller who sends nothing."""

_IDEMPOTENCY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "A name of the caller's choice for this batch. Lines that got 2xx and are sent again under this "
    "name get the same answer, without being processed again, while the cache keeps it.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "example": "nightly-2026-11-23",
}
log = structlog.get_logger("crs_eval.batch")


@router.post(
    PATH,
    summary="Answer many requests, each a line",
    response_class=Response,
    responses={200: ndjson_answer(BatchResult), **problems(413, 415, 422, 500)},
    openapi_extra={**ndjson_body(BatchLine), "parameters": [_IDEMPOTENCY]},
)
async def run_batch(request: Request, deployment: CurrentDeployment) -> Response:
    """Takes newline-delimited JSON, `{custom_id, path, body}` a line. Answers each line as soon as
    it is done, in any order, as `{line, custom_id, status, body}`. The body is what the route at `path` answers
    to `body` by POST. A line that fails does not affect the others. A line that cannot be read, is
    longer than `CRS_EVAL_MAX_BODY` or repeats a `custom_id` is answered with a problem. Empty lines are
    skipped. A batch that is sent again finds the answers of language models in the cache. With the same `Idempotency-Key`,
    lines that were answered are not processed again at all.

    Read while you send. A client that sends everything before it reads should send windows of at most
    500 lines, a request each. The service works on few lines at a time and stops reading while results
    are not taken. A caller that takes nothing for 30 s is cut off. A caller that sends no line for `CRS_EVAL_REQUEST_TIMEOUT`, while no
    line is worked on, gets a last line with status 408."""
    media = media_type(request, f"JSON lines with Content-Type: {NDJSON}")
    if not _TAKEN.fullmatch(media):
        raise UnsupportedMediaType(
            f"The body is declared as {media!r}. Send JSON lines with Content-Type: {NDJSON}."
        )
    return _Results(
        deployment.limits, request.app.state.draining, request.app.state.replays, idempotency_key(request)
    )


class ConcurrencyLimit:
    """At most `things` of together `size` bytes; one that is larger than all of it enters alone."""

    def __init__(self, things: int, size: int) -> None:
        self._most_things = things
        self._most_bytes = size
        self.things = 0
        self.bytes = 0
        self._changed = asyncio.Event()

    async def enter(self, size: int) -> None:
        """Wait until there is room for `size` bytes, and take it."""
        while self.things and (self.things >= self._most_things or self.bytes + size > self._most_bytes):
            self._changed.clear()
            await self._changed.wait()
        self.things += 1
        self.bytes += size

    def leave(self, size: int) -> None:
        self.things -= 1
        self.bytes -= size
        self._changed.set()

    async def empty(self) -> None:
        while self.things:
            self._changed.clear()
            await self._changed.wait()


class _Results(Response):
    """Reads lines and sends results at the same time, with bounded room for both."""

    media_type = NDJSON

    def __init__(self, limits: Limits, draining: asyncio.Event, replays: Replays, key: str | None) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._limits = limits
        self._draining = draining
        self._replays = replays
        self._key = key
        self._window = ConcurrencyLimit(AT_ONCE, limits.body)
        self._outbox = ConcurrencyLimit(MOST_LINES, OUTBOX)
        self._finished: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._seen: set[bytes] = set()
        self._active = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            async with asyncio.TaskGroup() as group:
                sender = group.create_task(self._send_all(send))
                await self._take_all(scope, receive, group)
                watcher = group.create_task(_raise_when_gone(receive))
                await self._window.empty()
                self._finished.put_nowait(None)
                await sender
                watcher.cancel()
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except* (ClientDisconnect, CallerGone):
            log.info("batch_left", lines=len(self._seen))

    async def _take_all(self, scope: Scope, receive: Receive, group: asyncio.TaskGroup) -> None:
        """Read the body and start each line; returns when all are started."""
        number = 0
        try:
            async for raw in split_lines(self._chunks(receive), self._limits.body):
                number += 1
                if number > MOST_LINES:
                    raise BodyTooLarge(f"A batch has at most {MOST_LINES} lines. Send the rest as another.")
                if raw is None or raw.strip():
                    await self._start(number, raw, scope, group)
                del raw  # its body waits as bytes of its own
        except CrsEvalError as error:  # of the batch, not of a line: nothing more is read
            await self._tell(scope, max(1, number), None, error)

    async def _chunks(self, receive: Receive) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await self._next(receive)
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            more = message.get("more_body", False)
            yield message.get("body", b"")

    async def _next(self, receive: Receive) -> Message:
        coming = asyncio.ensure_future(receive())
        try:
            while not (await asyncio.wait((coming,), timeout=LOOK))[0]:
                if self._idle() and self._draining.is_set():
                    raise _stopping()
                self._check_idle()
            self._check_idle()  # blank lines, and bytes of a line that does not end, are no work
            return coming.result()
        finally:
            coming.cancel()

    def _idle(self) -> float:
        """Seconds since a line was worked on."""
        now = asyncio.get_running_loop().time()
        if self._window.things or not self._active:
            self._active = now
        return now - self._active

    def _check_idle(self) -> None:
        if self._idle() >= self._limits.seconds:
            raise RequestTimeout(
                f"No line came for {self._limits.seconds:g} seconds. Send what is left as another batch."
            )

    async def _start(self, number: int, raw: bytes | None, scope: Scope, group: asyncio.TaskGroup) -> None:
        custom_id: str | None = None
        try:
            line, body = self._read(raw)
            custom_id, path = line.custom_id, line.path
            self._check(line)
        except CrsEvalError as error:
            await self._tell(scope, number, custom_id or _name_in(raw), error)
            return
        del raw
        await self._window.enter(len(body))
        self._active = 0.0
        group.create_task(self._answer(number, custom_id, path, body, scope))

    def _read(self, raw: bytes | None) -> tuple[BatchLine, bytes]:
        """A line, and its body as text: as objects it would take ten times as much while it waits."""
        if raw is None:
            raise BodyTooLarge(
                f"The line exceeds {self._limits.body} bytes; no line may. Send shorter messages, or have the operator raise CRS_EVAL_MAX_BODY."
            )
        line = parse(BatchLine, raw, self._limits.depth + 1)
        return line.model_copy(update={"body": {}}), to_json(line.body, inf_nan_mode="constants")

    def _check(self, line: BatchLine) -> None:
        if line.path.partition("?")[0].rstrip("/") in ("", PATH) or not re.fullmatch(r"/[\w./-]+", line.path):
            raise NotFound(
                "No route answers the line's path; see /openapi.json. A batch cannot contain a batch."
            )
        digest = hashlib.blake2b(line.custom_id.encode(), digest_size=16).digest()
        if digest in self._seen:
            raise InvalidRequest.at(
                "/custom_id",
                "is already in an earlier line of this batch",
                "give every line a different name",
            )
        if self._draining.is_set():
            raise _stopping()
        self._seen.add(digest)

    async def _answer(self, number: int, custom_id: str, path: str, body: bytes, scope: Scope) -> None:
        ask = partial(_dispatch, path, body, number, scope)
        try:
            if self._key is None:
                status, answer = await ask()
            else:
                name, content = f"{self._key}\0{custom_id}", path.encode() + b"\0" + body
                status, answer = await self._replays.answer(name, content, ask, self._limits.seconds)
            await self._put(number, custom_id, status, answer)
        except CrsEvalError as error:
            await self._tell(scope, number, custom_id, error)
        finally:
            self._window.leave(len(body))

    async def _tell(self, scope: Scope, number: int, custom_id: str | None, error: CrsEvalError) -> None:
        await self._put(number, custom_id, error.status, to_json(problem(error, request_id_of(scope))))

    async def _put(self, number: int, custom_id: str | None, status: int, body: bytes) -> None:
        frame = b'{"line":%d,"custom_id":%b,"status":%d,"body":%b}\n' % (
            number,
            one_line(to_json(custom_id)),
            status,
            one_line(body),
        )
        await self._outbox.enter(len(frame))
        self._finished.put_nowait(frame)

    async def _send_all(self, send: Send) -> None:
        while (frame := await self._finished.get()) is not None:
            await send({"type": "http.response.body", "body": frame, "more_body": True})
            self._outbox.leave(len(frame))


async def _dispatch(path: str, body: bytes, number: int, scope: Scope) -> tuple[int, bytes]:
    """Return what the route answers, from the whole application: the same checks, limits and problems."""
    request_id = f"{request_id_of(scope)}-{number}"
    state = {**scope["state"], "batch_line": number, "request_id": request_id}
    status, media, answer = await answer_of(scope, path, body, state)
    if not re.match(rb"application/([\w.+-]+\+)?json", media):  # it would break the frame of the line
        error = NotFound("The route at this path does not return JSON; see /openapi.json.")
        return error.status, to_json(problem(error, request_id))
    return status, answer


def _stopping() -> Overloaded:
    return Overloaded("The service is stopping. Send what has no answer again.")


async def _raise_when_gone(receive: Receive) -> None:
    await until_gone(receive)
    raise CallerGone("The caller closed the connection.")


def _name_in(raw: bytes | None) -> str | None:
    """The name of a line that does not fit otherwise, where it can be made out: at the line's beginning,
    since the whole may be what must not be made into objects."""
    found = _NAME.match(raw or b"")
    try:
        name = from_json(found[1]) if found else None
    except ValueError:
        return None
    return name if isinstance(name, str) and 0 < len(name) <= 256 else None
