"""A judge takes an exam."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from ..domain.completion import NO_USAGE, Usage
from ..domain.conversation import ConversationLog
from ..domain.rubric import Factor
from ..domain.verdict import Verdict
from ..scoring.summary import total_usage
from .outcome import PairOutcome, RatedOutcome, pair_outcome, rated_outcome
from .pair import Exam, ExamConversation, MinimalPair

AT_ONCE = 4
"""Conversations that are judged at the same time; models have further limits."""

Ask = Callable[[ConversationLog], Awaitable[Sequence[Verdict]]]


@dataclass(frozen=True, slots=True)
class ExaminedFactor:
    """A factor with the judge that answered it, as its provider names it, and the judge's revision."""

    factor: str
    judge: str
    evaluator_revision: str


@dataclass(frozen=True)
class Sitting:
    """Outcomes of one judge. `usage` and `seconds` are what it took."""

    pairs: tuple[PairOutcome, ...]
    rated: tuple[RatedOutcome, ...]
    factors: tuple[ExaminedFactor, ...]
    usage: Usage = NO_USAGE
    seconds: float = 0.0

    def __add__(self, other: "Sitting") -> "Sitting":
        return Sitting(
            self.pairs + other.pairs,
            self.rated + other.rated,
            tuple(dict.fromkeys(self.factors + other.factors)),
            self.usage + other.usage,
            self.seconds + other.seconds,
        )


async def sit(exam: Exam, ask: Ask, factors: Mapping[str, Factor]) -> tuple[Sitting, Sequence[Verdict]]:
    """Have a judge take an exam.

    Args:
        exam: The pairs and rated conversations.
        ask: Returns a log's verdicts on the factors of CoRE, always in the same order.
        factors: All factors by slug.

    Returns:
        The outcomes, and every verdict that they rest on."""
    begun = time.monotonic()
    limit, verdicts = asyncio.Semaphore(AT_ONCE), list[Verdict]()

    async def judged(log: ConversationLog) -> Sequence[Verdict]:
        async with limit:
            found = await ask(log)
        verdicts.extend(found)
        return found

    async def pair(one: MinimalPair) -> PairOutcome:
        good, bad = await asyncio.gather(judged(one.good), judged(one.bad))
        return pair_outcome(one, good, bad, factors)

    async def rated(one: ExamConversation) -> RatedOutcome:
        return rated_outcome(one, await judged(one.log), factors)

    tasks = [asyncio.ensure_future(pair(one)) for one in exam.pairs]
    others = [asyncio.ensure_future(rated(one)) for one in exam.rated]
    try:
        outcomes = await asyncio.gather(*tasks)
        ratings = await asyncio.gather(*others)
    finally:
        for task in (*tasks, *others):
            task.cancel()
    examined = (ExaminedFactor(v.factor, str(v.judge), v.evaluator_revision) for v in verdicts)
    sitting = Sitting(
        tuple(outcomes),
        tuple(ratings),
        tuple(dict.fromkeys(examined)),
        total_usage(verdicts),
        time.monotonic() - begun,
    )
    return sitting, verdicts
