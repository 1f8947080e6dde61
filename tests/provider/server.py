"""A provider of language models on loopback: it speaks OpenAI's Chat Completions and Anthropic's
Messages with the batch APIs of both, misbehaves on demand and counts what it is asked.

    with ProviderServer() as provider:
        provider.behave(rate_limited(), Answer('{"score": 3}'))
        AsyncOpenAI(base_url=provider.openai_url, api_key="local")
"""

import asyncio
import json
import random
import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from tests.patience import PATIENCE

from .batches import BatchDesk
from .behaviours import (
    Answer,
    Behaviour,
    Body,
    CutJSON,
    Drip,
    Garbled,
    Hang,
    Held,
    Latency,
    Payload,
    Reset,
    Status,
)
from .speech import anthropic_answer, compose, error_body, openai_answer

Chooser = Callable[[Payload], Behaviour]


@dataclass(frozen=True, eq=False)
class Received:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    payload: Payload
    body: bytes = b""

    @property
    def anthropic(self) -> bool:
        return self.path.split("?")[0].endswith("/messages")


class ProviderServer:
    """Runs in a thread with an event loop of its own, so that a busy test cannot slow it down.

    Queued behaviours are used up first, in order; then `default`, a behaviour or a function of
    the request, answers."""

    def __init__(self, default: Behaviour | Chooser | None = None, latency: Latency | None = None):
        self.default: Behaviour | Chooser = default or Answer()
        self.latency = latency or Latency()
        self.received: list[Received] = []
        self.desk = BatchDesk(self._respond)
        self.peak = 0
        self.abandoned = 0
        self._port = 0
        self._random = random.Random(7)
        self._queue: deque[Behaviour] = deque()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="provider", daemon=True)
        self._writers: set[asyncio.StreamWriter] = set()
        self._open: set[Received] = set()

    def __enter__(self) -> "ProviderServer":
        self._thread.start()
        self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(PATIENCE)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def calls(self) -> int:
        """Requests received so far."""
        return len(self.received)

    @property
    def in_flight(self) -> int:
        """Requests that wait for the first byte of their answer, or for the end of a slow one."""
        return len(self._open)

    @property
    def duplicates(self) -> int:
        """Requests whose body had been received before."""
        bodies = Counter(json.dumps(request.payload, sort_keys=True) for request in self.received)
        return sum(count - 1 for count in bodies.values())

    def behave(self, *behaviours: Behaviour) -> None:
        """Answer the next requests so, one each, in order."""
        self._queue.extend(behaviours)

    def reset(self) -> None:
        """Forget what was received and queued; answer well again."""
        self.received.clear()
        self._queue.clear()
        self.default, self.latency, self.peak, self.abandoned = Answer(), Latency(), 0, 0

    def wait_idle(self, timeout: float = PATIENCE) -> bool:
        """Return whether all calls ended within `timeout` seconds."""
        return _soon(lambda: not self.in_flight, timeout)

    def wait_closed(self) -> bool:
        """Return whether clients close all their sockets."""
        return _soon(lambda: not self._writers, PATIENCE)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, backlog=1024)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopping.wait()
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        early = b""
        try:
            while request := await self._read(reader, early):
                if self.desk.takes(request.path):
                    body = await asyncio.to_thread(self.desk.answer, self.url, request.path, request.body)
                    await _send(writer, 200, body)
                    early = b""
                    continue
                self.received.append(request)
                self._open.add(request)
                self.peak = max(self.peak, self.in_flight)
                try:
                    early = await self._answer_or_leave(reader, writer, request)
                finally:
                    self._open.discard(request)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, early: bytes) -> Received | None:
        try:
            head = early + await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = [line.partition(":") for line in lines if line]
        headers = {name.lower(): value.strip() for name, _, value in fields}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        payload = json.loads(body) if body.startswith(b"{") else {}
        return Received(first.split(" ")[1], headers, payload, body)

    def _respond(self, anthropic: bool, payload: Payload) -> tuple[int, Payload] | None:
        """The answer to one prompt of a batch: from `default`, where `Hang` is a prompt that expires."""
        behaviour = self.default(payload) if callable(self.default) else self.default
        if isinstance(behaviour, Status):
            return behaviour.status, error_body(anthropic, behaviour)
        if not isinstance(behaviour, Answer):
            return None
        path = "/v1/messages" if anthropic else "/v1/chat/completions"
        return 200, json.loads(_good(Received(path, {}, payload), behaviour))

    async def _answer_or_leave(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: Received
    ) -> bytes:
        """Answer, but stop as soon as the client closes its socket, as a real server can. Returns
        what the client sent meanwhile: the start of its next request, if anything."""
        answering = asyncio.ensure_future(self._answer(writer, request))
        listening = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({answering, listening}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                self.abandoned += 1
                raise ConnectionResetError
            await answering
            return listening.result() if listening.done() else b""
        finally:
            for task in (answering, listening):
                task.cancel()
            await asyncio.gather(answering, listening, return_exceptions=True)

    async def _answer(self, writer: asyncio.StreamWriter, request: Received) -> None:
        if self._queue:
            behaviour = self._queue.popleft()
        else:
            behaviour = self.default(request.payload) if callable(self.default) else self.default
        latency = getattr(behaviour, "latency", None) or self.latency
        await asyncio.sleep(latency.draw(self._random))
        if isinstance(behaviour, Held):
            while not behaviour.gate.is_set():  # noqa: ASYNC110 - the test sets it, in another thread
                await asyncio.sleep(0.01)
            behaviour = behaviour.answer
        if not isinstance(behaviour, Hang | Drip):
            # The client may have the answer, and ask again, before we are back from sending it.
            self._open.discard(request)
        await self._perform(writer, request, behaviour)

    async def _perform(self, writer: asyncio.StreamWriter, request: Received, behaviour: Behaviour) -> None:
        match behaviour:
            case Hang():
                await asyncio.sleep(3600)
            case Reset():
                await _reset(writer, behaviour.amid)
            case Garbled():
                writer.write(behaviour.data)
                await writer.drain()
                raise ConnectionResetError
            case Body():
                await _send(writer, 200, behaviour.data, behaviour.content_type)
            case Status():
                body = json.dumps(error_body(request.anthropic, behaviour)).encode()
                await _send(writer, behaviour.status, body, retry_after=behaviour.retry_after)
            case CutJSON():
                whole = _good(request, Answer())
                await _send(writer, 200, whole[: len(whole) // 2])
            case Drip():
                await _drip(writer, _good(request, behaviour.answer), behaviour.pause)
            case Answer():
                await _send(writer, 200, _good(request, behaviour))


def _soon(holds: Callable[[], bool], timeout: float) -> bool:
    deadline = time.monotonic() + timeout
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.005)
    return holds()


def _good(request: Received, answer: Answer) -> bytes:
    payload, anthropic = request.payload, request.anthropic
    text = answer.text(payload) if callable(answer.text) else answer.text
    text = compose(payload) if text is None else text
    return json.dumps((anthropic_answer if anthropic else openai_answer)(payload, answer, text)).encode()


async def _drip(writer: asyncio.StreamWriter, body: bytes, pause: float) -> None:
    writer.write(_head(200, len(body), "application/json"))
    for byte in body:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(pause)


def _head(status: int, length: int, content_type: str, retry_after: float | str | None = None) -> bytes:
    retry = "" if retry_after is None else f"Retry-After: {retry_after}\r\n"
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\n{retry}Content-Length: {length}\r\n\r\n"
    return head.encode()


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    content_type: str = "application/json",
    retry_after: float | str | None = None,
) -> None:
    writer.write(_head(status, len(body), content_type, retry_after) + body)
    await writer.drain()


async def _reset(writer: asyncio.StreamWriter, amid: bool) -> None:
    if amid:
        writer.write(_head(200, 4000, "application/json") + b'{"id": "half')
        await writer.drain()
        await asyncio.sleep(0.01)
    # Lingering for zero seconds turns the close into a TCP reset.
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.close()
    raise ConnectionResetError
