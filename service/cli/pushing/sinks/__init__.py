"""The platforms: a file each, which declares its SINK. Adding one is adding a file here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ....domain.declared import declared
from ...inputs import Json

Settings = Mapping[str, str]


@dataclass(frozen=True)
class TraceScore:
    """A verdict's score, or a fault that was found (`value` 1), on the trace or session `target`. `id` is the same each time."""

    id: str
    target: str
    name: str
    value: float
    comment: str | None
    judge: str
    by_model: bool
    fault: bool
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class SinkRequest:
    """An HTTP request that carries scores."""

    method: str
    path: str
    body: Json


@dataclass(frozen=True)
class Sink:
    """A platform. Settings are environment variables, named as the platform's own SDK names them.

    `make` makes the request for at most `most` scores: of sessions where its last argument is True, else of traces. `sessions`
    says whether the platform takes scores of sessions. `replaces` says that a score that arrives twice is stored once."""

    addresses: Sequence[str]
    default: str
    required: Sequence[str]
    secrets: Sequence[str]
    headers: Callable[[Settings], Mapping[str, str]]
    make: Callable[[Sequence[TraceScore], Settings, bool], SinkRequest]
    sessions: bool = False
    most: int = 1
    replaces: bool = True
    place: int = 0


def bearer(token: str | None) -> dict[str, str]:
    """Return the header that carries a token; none without one."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def present(settings: Settings, headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers whose settings, named by their values, have a value."""
    return {header: settings[name] for header, name in headers.items() if settings.get(name)}


@cache
def sinks() -> dict[str, Sink]:
    """Return all platforms, by the names of their files."""
    return declared(__name__, __path__, "SINK", Sink)
