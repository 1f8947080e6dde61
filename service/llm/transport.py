"""What both adapters do around their SDK: one HTTP client per upstream, a bounded and timed read,
and the exceptions of the wire made into failures."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx2

from ..domain.completion import Call
from .failures import Answer, TimedOut, Unavailable, UnreadableCompletion

CONNECT_SECONDS = 5.0
LONGEST_ANSWER = 1 << 20
"""Bytes. The longest verdict is a hundredth of this; what is longer is no answer of a judge."""


def timeouts() -> httpx2.Timeout:
    """Only connecting has a limit of its own: a model may think until the caller's deadline."""
    return httpx2.Timeout(None, connect=CONNECT_SECONDS)


def limits(connections: int) -> httpx2.Limits:
    """As many sockets as there may be calls, all kept open between them."""
    return httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)


async def read_body(response: httpx2.Response) -> bytes:
    """The whole body. Raises `httpx2.DecodingError` when it is longer than any answer can be."""
    parts: list[bytes] = []
    length = 0
    async for part in response.aiter_bytes():
        length += len(part)
        if length > LONGEST_ANSWER:
            raise httpx2.DecodingError(f"the body is longer than {LONGEST_ANSWER} bytes")
        parts.append(part)
    return b"".join(parts)


async def in_time(ask: Callable[[], Awaitable[Answer]], call: Call) -> Answer:
    """The answer, if it comes before the deadline and the wire holds."""
    try:
        async with asyncio.timeout_at(call.deadline):
            return await ask()
    except TimeoutError:
        return TimedOut("no answer came in time")
    except httpx2.DecodingError as error:
        return UnreadableCompletion(f"the body cannot be read: {error}")
    except (httpx2.TransportError, OSError) as error:
        return Unavailable(f"the connection broke: {type(error).__name__}")
