"""Messages that a process and its workers exchange."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class HttpWork(NamedTuple):
    """A request for a route: the parts of its ASGI scope that the route reads, and its whole body."""

    scope: Mapping[str, Any]
    body: bytes


class ValueWork(NamedTuple):
    """Values for the use case that the API has at a path. `context` is bound to log lines."""

    path: str
    values: Mapping[str, Any]
    context: Mapping[str, str]


Work = HttpWork | ValueWork


class Begin(NamedTuple):
    """Work for a worker, and the seconds that it has."""

    number: int
    work: Work
    seconds: float


class ClientGone(NamedTuple):
    """The caller of a request closed the connection."""

    number: int


class End(NamedTuple):
    """A request is to be ended, whatever it is at."""

    number: int


class ResponseChunk(NamedTuple):
    """An ASGI message of a worker's answer; `route` is the template that matched, `kept` what may be remembered of it."""

    number: int
    message: Mapping[str, Any]
    route: str | None = None
    kept: object = None


class ValueAnswer(NamedTuple):
    """The outcome of `ValueWork`: what the use case returned, or the error that it raised."""

    number: int
    outcome: Any


class RequestEnded(NamedTuple):
    """A worker is done with a request, with or without an answer. `cpu` is the CPU time of the worker so far, in seconds."""

    number: int
    cpu: float


class CountedVerdict(NamedTuple):
    """Arguments of `Recorder.verdict`, for the parent's recorder, and the request that the verdict belongs to."""

    at: int | None
    arguments: tuple[Any, ...]
