"""Runs `crs-eval live`: over HTTP, or along a file of messages."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from .errors import ConfigurationError
from .live.following import Follower
from .live.outputs.output import OutputDown
from .live.worker import working
from .live_app import Live, build_conversations, build_live, build_outputs, create_live_app
from .main import read_settings, run_server
from .settings import Settings
from .store.conversations.protocol import Conversations, Unreachable
from .telemetry.logging import configure_logging

if TYPE_CHECKING:
    from fastapi import FastAPI

OFTEN: Final = 0.1
MANY: Final = 1000
DELIVERY_SECONDS: Final = 60.0
UNUSABLE: Final = 2
UNREADABLE: Final = 2
log = structlog.get_logger("crs_eval.live")


def serve_live(host: str, port: int, environment: Mapping[str, str]) -> int:
    """Take messages over HTTP and judge conversations until stopped. Returns the exit code."""

    def create(settings: Settings) -> "FastAPI":
        asyncio.run(_check_places(settings))
        return create_live_app(settings, address=host)

    return run_server(host, port, environment, create)


async def _check_places(settings: Settings) -> None:
    """Raise ConfigurationError where open conversations or results cannot be kept, before there is a server whose start
    would fail. An output that does not answer may do so later."""
    outputs = build_outputs(settings)
    try:
        for output in outputs:
            with contextlib.suppress(OutputDown):
                await output.prepare()
    finally:
        for output in outputs:
            await output.aclose()
    if settings.live_redis_url is None:
        return
    place = build_conversations(settings)
    try:
        await place.prepare(())
    except Unreachable as error:
        raise ConfigurationError(f"CRS_EVAL_LIVE_REDIS_URL: Redis does not answer ({error})") from None
    finally:
        await place.aclose()


def follow(file: Path | None, environment: Mapping[str, str], *, once: bool) -> int:
    """Judge the conversations of a file as it grows, or of standard input (None) to its end. Returns the exit code."""
    try:
        settings = read_settings(environment)
        configure_logging(settings.log_format, settings.log_level)
        asyncio.run(_check_places(settings))
        return asyncio.run(_follow(build_live(settings), file, once=once or file is None))
    except (ConfigurationError, Unreachable) as error:
        return _refused(error)
    except BaseExceptionGroup as group:
        # The error that stopped a part of the worker.
        if wrong := group.subgroup((ConfigurationError, Unreachable)):
            return _refused(_first(wrong))
        raise


async def _follow(live: Live, file: Path | None, *, once: bool) -> int:
    follower = Follower(live.conversations, file, live.user_key, once=once)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    try:
        await live.prepare()
        async with working(live.worker) as work:
            reading = asyncio.create_task(_read(follower, live, once=once))
            stop = asyncio.create_task(stopped.wait())
            await asyncio.wait((reading, stop, work), return_when=asyncio.FIRST_COMPLETED)
            stop.cancel()
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading
    finally:
        await live.aclose()
    if follower.unreadable:
        log.warning("lines_unreadable", lines=follower.unreadable, of=follower.lines)
    return UNREADABLE if follower.unreadable and once else 0


async def _read(follower: Follower, live: Live, *, once: bool) -> None:
    """Read, and with `once` wait until all that was read is judged and delivered. Other conversations may go on in the same Redis: what
    this process does not deliver in `DELIVERY_SECONDS` seconds, another worker does."""
    await follower.run()
    if not once:
        return
    conversations = live.conversations
    await _wait_for_none(lambda: _waiting(conversations, "queued"))
    names = list(follower.read)
    for start in range(0, len(names), MANY):
        await _wait_for_none(partial(conversations.remaining, names[start : start + MANY]))
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DELIVERY_SECONDS if live.shared else None):
            await _wait_for_none(lambda: _waiting(conversations, "undelivered"))


async def _waiting(conversations: Conversations, what: str) -> int:
    return int(getattr(await conversations.level(), what))


async def _wait_for_none(count: Callable[[], Awaitable[int]]) -> None:
    while True:
        if not await count():
            return
        await asyncio.sleep(OFTEN)


def _refused(error: BaseException) -> int:
    print(f"crs-eval: {error}", file=sys.stderr)  # noqa: T201 - for a person
    return UNUSABLE


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
