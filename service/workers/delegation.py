"""Work that a worker answers within its time and CPU time, given to a second worker where the first is lost."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..errors import CrsEvalError, DeadlineExceeded, Internal, Overloaded, TooCostly
from .messages import RequestEnded, ValueAnswer, ValueWork, Work
from .pool import CpuSpent, Exchange, Pool, WorkerLost

GRACE = 0.75
"""Seconds past its deadline that a worker gets: a route that keeps the deadline itself answers with what it has."""

TRIES = 2
"""Workers that a request is given to: one that was killed for another request takes this one with it."""

RETRY_AFTER = 10.0
BUSY = "Other requests kept the workers busy for {:g} seconds. Send the request again later."
TOO_COSTLY = (
    "The request took more CPU time than one may. Send less at a time (a shorter log, fewer factors, a part of the entries), or "
    "have the operator raise CRS_EVAL_REQUEST_CPU."
)
DEFECT = "The service has a defect. Its log has the cause under this request's id."
"""The answer where a worker ended without one; the worker has logged why."""

LOST = "The process that handled the request ended. Its id leads to the service's log."


class NoTurn(Overloaded):
    """No worker had room in time: that says nothing about the request."""


def out_of_time(seconds: float) -> DeadlineExceeded:
    """Return the error of an answer that takes longer than so many seconds."""
    fix = "Send less at a time, or have the operator raise CRS_EVAL_REQUEST_TIMEOUT."
    return DeadlineExceeded(f"No answer was made within {seconds:g} seconds. {fix}")


async def delegate(
    pool: Pool,
    work: Work,
    seconds: float,
    gone: "asyncio.Future[None]",
    listen: Callable[[Exchange], Awaitable[None]],
) -> None:
    """Give work to a worker, and to another one if `listen` raises WorkerLost. `gone` ends when nobody waits for the answer any
    longer. Raises NoTurn, TooCostly, DeadlineExceeded, Internal, CallerGone, and what `listen` raises."""
    exchange = None
    deadline = asyncio.get_running_loop().time() + seconds
    try:
        async with asyncio.timeout_at(deadline + GRACE):
            for _ in range(TRIES):
                async with pool.exchange(work, gone, deadline) as exchange:
                    try:
                        return await listen(exchange)
                    except WorkerLost:
                        continue
    except CpuSpent:
        raise TooCostly(TOO_COSTLY) from None
    except TimeoutError:
        if exchange is None:
            raise NoTurn(BUSY.format(seconds), retry_after=RETRY_AFTER) from None
        raise out_of_time(seconds) from None
    raise Internal(LOST)


async def answer_values(
    pool: Pool, path: str, values: Mapping[str, Any], seconds: float, **context: str
) -> Any:
    """Return what the use case at a path of the API makes of these values. Raises as `delegate` and the use case do."""
    outcome: Any = Internal(DEFECT)

    async def listen(exchange: Exchange) -> None:
        nonlocal outcome
        while not isinstance(said := await exchange.inbox.get(), RequestEnded):
            if isinstance(said, WorkerLost | CpuSpent):
                raise said
            if isinstance(said, ValueAnswer):
                outcome = said.outcome

    never = asyncio.get_running_loop().create_future()
    await delegate(pool, ValueWork(path, values, context), seconds, never, listen)
    if isinstance(outcome, CrsEvalError):
        raise outcome
    return outcome
