"""A judge whose verdicts are counted, whichever route asked for them."""

from collections.abc import AsyncIterator, Callable

from ..domain.completion import Call
from ..domain.verdict import JudgeName, Verdict
from .inquiry import Inquiry, Judge, Refusal

#: Takes a verdict, the system that it is about, and whether the conversation is over.
CountVerdict = Callable[[Verdict, str | None, bool], None]


class ObservedJudge:
    """Passes every verdict on, and counts it."""

    def __init__(self, inner: Judge, count: CountVerdict) -> None:
        self._inner = inner
        self._count = count

    @property
    def name(self) -> JudgeName:
        return self._inner.name

    def refusal(self, inquiry: Inquiry) -> Refusal | None:
        """The refusal of the judge that is counted."""
        return self._inner.refusal(inquiry)

    async def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]:
        log = inquiry.case.log
        async for verdict in self._inner.ask(inquiry, call):
            self._count(verdict, log.system, log.complete)
            yield verdict
