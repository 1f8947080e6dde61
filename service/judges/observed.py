"""A judge whose verdicts are counted, whichever route asked for them."""

from collections.abc import AsyncIterator

from ..domain.completion import Call
from ..domain.verdict import JudgeName, Verdict
from ..telemetry.recorder import Recorder
from .inquiry import Inquiry, Judge


class ObservedJudge:
    """Passes every verdict on, and tells the recorder of it."""

    def __init__(self, inner: Judge, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    @property
    def name(self) -> JudgeName:
        return self._inner.name

    async def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]:
        log = inquiry.case.log
        async for verdict in self._inner.ask(inquiry, call):
            self._recorder.verdict(verdict, log.system, complete=log.complete)
            yield verdict
