"""Many factors over one log: each goes to its judges, verdicts come back as they are ready; and the key of comparability."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace

from ..domain.completion import Call
from ..domain.rubric import Factor
from ..domain.verdict import JudgeName, Verdict
from ..judges.inquiry import Inquiry, Judge
from .panel import Panel, Route, conclude, members_of

JudgeOf = Callable[[JudgeName], Judge]


async def score(
    inquiry: Inquiry, routes: Mapping[str, Route], judge_of: JudgeOf, call: Call
) -> AsyncGenerator[Verdict, None]:
    """Ask every factor of `inquiry` of the judge, or of the panel, that `routes` names for it (slug to route), all
    judges at once; yields each verdict as it is ready. Leaving the iterator cancels what runs."""
    queue: asyncio.Queue[tuple[JudgeName, Verdict] | None] = asyncio.Queue()

    async def ask(name: JudgeName, factors: Sequence[Factor]) -> None:
        async for verdict in judge_of(name).ask(replace(inquiry, factors=tuple(factors)), call):
            queue.put_nowait((name, verdict))

    async def ask_all() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for name, factors in _by_judge(inquiry.factors, routes).items():
                    group.create_task(ask(name, factors))
        finally:
            queue.put_nowait(None)

    panels = _Panels(inquiry.factors, routes)
    task = asyncio.create_task(ask_all())
    try:
        while (told := await queue.get()) is not None:
            if (verdict := panels.hear(*told)) is not None:
                yield verdict
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class _Panels:
    """Keeps what members of panels said until the last of them is heard."""

    def __init__(self, factors: Sequence[Factor], routes: Mapping[str, Route]) -> None:
        self._scales = {factor.slug: factor.scale for factor in factors}
        self._routes = routes
        self._told: dict[str, dict[JudgeName, Verdict]] = {}

    def hear(self, name: JudgeName, verdict: Verdict) -> Verdict | None:
        """Return the verdict on a factor, None while members of its panel are still to be heard."""
        route = self._routes[verdict.factor]
        if not isinstance(route, Panel):
            return verdict
        told = self._told.setdefault(verdict.factor, {})
        told[name] = verdict
        if len(told) < len(route.members):
            return None
        return conclude(route, [told[member] for member in route.members], self._scales[verdict.factor])


def _by_judge(factors: Sequence[Factor], routes: Mapping[str, Route]) -> dict[JudgeName, list[Factor]]:
    groups: dict[JudgeName, list[Factor]] = {}
    for factor in factors:
        for name in members_of(routes[factor.slug]):
            groups.setdefault(name, []).append(factor)
    return groups


def in_order(verdicts: Sequence[Verdict], factors: Sequence[Factor]) -> list[Verdict]:
    """The verdicts in the order their factors were asked."""
    place = {factor.slug: index for index, factor in enumerate(factors)}
    return sorted(verdicts, key=lambda verdict: place[verdict.factor])


def comparison_key(verdicts: Sequence[Verdict], settings: Mapping[str, str | int | None]) -> str:
    """16 hex digits over all that decides a score beside the log: each factor's evaluator revision,
    its judge with the model that the provider reported, and how it was asked (`settings`)."""
    asked = sorted((v.factor, v.evaluator_revision, str(v.judge)) for v in verdicts)
    canonical = json.dumps([asked, sorted(settings.items())], separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
