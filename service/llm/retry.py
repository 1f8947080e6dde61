"""The one policy for trying again: jitter, the provider's own wish honoured, and a deadline."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from ..domain.completion import NO_USAGE, Call, Completion, LLMRequest, Usage
from .failures import Answer, ProviderError, TimedOut, UnreadableCompletion
from .provider import Provider, each, remaining

ATTEMPTS = 8
UNREADABLE_ATTEMPTS = 3
"""An answer without sense may have been paid for: it is asked for less often."""

SURE_ATTEMPTS = 6
"""So many attempts fit into any deadline: pauses shrink for them."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
LAST_CALL = 0.05
"""With less than this many seconds left, another attempt is not worth its tokens."""

BRIEF = 1.0
"""An attempt that had fewer seconds and ran out of them says nothing of the provider: the failure before it is told."""


class Retrying:
    """Asks again after failures that may pass. What failed attempts cost is not lost: it is told
    beside the answer, or in the failure."""

    def __init__(
        self,
        inner: Provider,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._inner = inner
        self._sleep = sleep
        self._jitter = jitter
        self._stats: Counter[str] = Counter(retries=0)

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return await each(requests, lambda request: self._insist(request, call))

    async def aclose(self) -> None:
        await self._inner.aclose()

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats)

    async def _insist(self, request: LLMRequest, call: Call) -> Answer:
        lost = NO_USAGE
        attempt = 1
        before: ProviderError | None = None
        while True:
            brief = remaining(call) < BRIEF
            [answer] = await self._inner.complete([request], call)
            if isinstance(answer, Completion):
                return replace(answer, lost=answer.lost + lost)
            lost += answer.usage
            if before and brief and isinstance(answer, TimedOut):
                return _told(before, attempt, lost)
            before = answer
            pause = self._pause(answer, attempt, remaining(call))
            if pause is None:
                return _told(answer, attempt, lost)
            self._stats["retries"] += 1
            await self._sleep(pause)
            attempt += 1

    def _pause(self, failure: ProviderError, attempt: int, left: float) -> float | None:
        """Seconds until the next attempt; None where there is to be none."""
        most = UNREADABLE_ATTEMPTS if isinstance(failure, UnreadableCompletion) else ATTEMPTS
        if not failure.retryable or attempt >= most:
            return None
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)) * (0.5 + 0.5 * self._jitter())
        if attempt < SURE_ATTEMPTS:
            pause = min(pause, left / (SURE_ATTEMPTS - attempt + 1))
        if failure.retry_after is not None:
            # The jitter keeps those who were turned away together from coming back together.
            pause = failure.retry_after + self._jitter() * min(0.5, 0.25 * failure.retry_after + 0.01)
        return None if pause + LAST_CALL > left else pause


def _told(failure: ProviderError, attempts: int, lost: Usage) -> ProviderError:
    detail = failure.detail if attempts == 1 else f"{failure.detail} ({attempts} attempts)"
    return replace(failure, detail=detail, usage=lost)
