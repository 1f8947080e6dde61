"""The protocol that adapters and wrappers share, and what every adapter needs: one HTTP client per upstream, a bounded and timed
read, and the exceptions of the wire made into failures.

Adapters ride on the SDK's httpx2 client over aiohttp, which costs half the CPU of httpx2's own
transport. What it raises is mostly httpx2's, but not all of it, and not always the right one. Both are
imported by the functions that need them: listing providers must not load them."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..domain.completion import Call, LLMRequest
from .failures import Answer, ProviderError, TimedOut, Unavailable, UnreadableCompletion

if TYPE_CHECKING:
    import httpx2


class Provider(Protocol):
    """Answers requests, in order, and never raises for one of them. Being cancelled is the only
    way not to answer."""

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]: ...

    async def aclose(self) -> None: ...


CLOCKS_APART = 600.0
"""Seconds by which a provider's clock and ours may differ."""


class BatchError(Exception):
    """A provider took no batch, or could not be asked about one. Nothing is lost: the run can go on later."""


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch and the cache keys of its prompts, which are their ids in it. `id` is the provider's: None while nobody knows if
    the batch arrived. `token` names it until then, `since` is the Unix time before which it cannot have been made."""

    token: str
    upstream: str
    keys: tuple[str, ...]
    since: float
    id: str | None = None
    ended: bool = False

    @property
    def earliest(self) -> float:
        """The earliest time that the provider may give for it."""
        return self.since - CLOCKS_APART


@runtime_checkable
class BatchProvider(Protocol):
    """An adapter that can send batches. All methods raise BatchError."""

    async def submit(self, token: str, requests: Mapping[str, LLMRequest], /) -> str:
        """Send requests to one model under their ids as a batch; return the provider's id of it."""
        ...

    async def find(self, batch: SentBatch, taken: Collection[str | None], /) -> str | None:
        """Return the id of a batch of which only `token`, size and time are known, if it arrived; `taken`
        are the ids of others."""
        ...

    async def collect(self, batch_id: str, requests: Mapping[str, LLMRequest]) -> Mapping[str, Answer] | None:
        """Return an answer to each request of a batch that has ended, None while it runs."""
        ...


async def each(
    requests: Sequence[LLMRequest], answer: Callable[[LLMRequest], Awaitable[Answer]]
) -> list[Answer]:
    """Answer all requests at the same time. If the caller goes away, none is left running."""
    if len(requests) == 1:
        return [await answer(requests[0])]

    async def run(request: LLMRequest) -> Answer:
        return await answer(request)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(request)) for request in requests]
    return [task.result() for task in tasks]


class Wrapper:
    """A provider around another one, which it asks about one request at a time."""

    def __init__(self, inner: Provider) -> None:
        self._inner = inner

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return await each(requests, lambda request: self._answer(request, call))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _answer(self, request: LLMRequest, call: Call) -> Answer:
        [answer] = await self._inner.complete([request], call)
        return answer


def remaining(call: Call) -> float:
    """Seconds until a call's deadline; infinite without one, never negative."""
    if call.deadline is None:
        return float("inf")
    return max(0.0, call.deadline - asyncio.get_running_loop().time())


CONNECT_SECONDS = 5.0
LONGEST_ANSWER = 1 << 20
"""Bytes. The longest verdict is a hundredth of this; what is longer is no answer of a judge."""
LONGEST_WITH_ODDS = 16 << 20
"""Bytes of an answer with the probabilities of its tokens: up to 6 kB a token."""


def timeouts() -> "httpx2.Timeout":
    """Only connecting has a limit of its own: a model may think until the caller's deadline."""
    import httpx2

    return httpx2.Timeout(None, connect=CONNECT_SECONDS)


def limits(connections: int) -> "httpx2.Limits":
    """As many sockets as there may be calls, all kept open between them."""
    import httpx2

    return httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)


async def read_body(response: "httpx2.Response", longest: int) -> bytes:
    """The whole body. Raises `httpx2.DecodingError` when it has more than `longest` bytes."""
    import httpx2

    parts: list[bytes] = []
    length = 0
    async for part in response.aiter_bytes():
        length += len(part)
        if length > longest:
            raise httpx2.DecodingError(f"the body is longer than {longest} bytes")
        parts.append(part)
    return b"".join(parts)


async def in_time(ask: Callable[[], Awaitable[Answer]], call: Call) -> Answer:
    """The answer, if it comes before the deadline and the wire holds."""
    import aiohttp
    import httpx2

    try:
        async with asyncio.timeout_at(call.deadline):
            return await ask()
    except TimeoutError:
        return TimedOut("no answer came in time")
    except httpx2.DecodingError as error:
        return UnreadableCompletion(f"the body cannot be read: {error}")
    except (httpx2.TransportError, aiohttp.ClientError, OSError) as error:
        return _broken(_root(error))


def not_connected(error: Exception) -> ProviderError:
    """Return what an SDK's connection error stands for. The SDKs take a server that hung up for one that
    was slow, so what lies beneath decides."""
    root = _root(error)
    if isinstance(root, TimeoutError):
        return TimedOut("the upstream could not be connected to in time")
    return _broken(root)


def _broken(root: BaseException) -> ProviderError:
    return Unavailable(f"the connection broke: {type(root).__name__}")


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error
