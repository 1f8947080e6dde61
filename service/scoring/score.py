"""Many factors over one log: each goes to its judge, verdicts come back as they are ready."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace

from ..domain.completion import Call
from ..domain.rubric import Factor
from ..domain.verdict import JudgeName, Verdict
from ..judges.inquiry import Inquiry, Judge

JudgeOf = Callable[[JudgeName], Judge]


async def score(
    inquiry: Inquiry, routes: Mapping[str, JudgeName], judge_of: JudgeOf, call: Call
) -> AsyncGenerator[Verdict, None]:
    """Ask every factor of `inquiry` of the judge that `routes` names for it (slug to judge), all
    judges at once; yields each verdict as it is ready. Leaving the iterator cancels what runs."""
    queue: asyncio.Queue[Verdict | None] = asyncio.Queue()

    async def ask(name: JudgeName, factors: Sequence[Factor]) -> None:
        async for verdict in judge_of(name).ask(replace(inquiry, factors=tuple(factors)), call):
            queue.put_nowait(verdict)

    async def ask_all() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for name, factors in _by_judge(inquiry.factors, routes).items():
                    group.create_task(ask(name, factors))
        finally:
            queue.put_nowait(None)

    task = asyncio.create_task(ask_all())
    try:
        while (verdict := await queue.get()) is not None:
            yield verdict
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _by_judge(factors: Sequence[Factor], routes: Mapping[str, JudgeName]) -> dict[JudgeName, list[Factor]]:
    groups: dict[JudgeName, list[Factor]] = {}
    for factor in factors:
        groups.setdefault(routes[factor.slug], []).append(factor)
    return groups


def in_order(verdicts: Sequence[Verdict], factors: Sequence[Factor]) -> list[Verdict]:
    """The verdicts in the order their factors were asked."""
    place = {factor.slug: index for index, factor in enumerate(factors)}
    return sorted(verdicts, key=lambda verdict: place[verdict.factor])
