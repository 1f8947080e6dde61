"""Judge a conversation by the use case of `/score`, within its budget."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from pydantic_core import to_json

from ..domain.calibration import CalibrationMap
from ..domain.verdict import Verdict
from ..errors import BodyTooLarge, CrsEvalError, DeadlineExceeded, Internal, TooCostly
from ..store.conversations.protocol import ClaimedConversation
from ..usecases.wire.score import ScoreAnswer
from ..usecases.wire.verdict import Verdict as WireVerdict
from ..workers.delegation import NoTurn
from .conversation import Ended, ended, log_of
from .result import LiveFault, LiveResult, LiveVerdict, faults_of, mean_of, result_of
from .sampling import Outcome, Sampler, Why

MOST_ATTEMPTS = 5
"""Claims of a conversation that end without a result, because its workers die, before it is given up."""

log = structlog.get_logger("crs_eval.live")


SLUGS = {BodyTooLarge.slug: "too_large", TooCostly.slug: "too_large", DeadlineExceeded.slug: "timeout"}
"""Reasons in results, where they are not those of `/score`."""


class NotScored(Exception):  # noqa: N818 - it says what happened
    """There is no answer. `reason` says why, and `verdicts` are those that failed."""

    def __init__(self, slug: str, verdicts: Sequence[WireVerdict] = ()) -> None:
        super().__init__(slug)
        self.reason = SLUGS.get(slug, slug)
        self.verdicts = verdicts


class Scoring:
    """Scores by `answer`, the use case of `/score`: at most `most` conversations at a time, each of at most `size` bytes and for at
    most `seconds`."""

    def __init__(
        self,
        answer: Callable[[Mapping[str, Any]], Awaitable[ScoreAnswer]],
        *,
        most: int,
        size: int,
        seconds: float,
    ) -> None:
        self._answer = answer
        self._places = asyncio.Semaphore(most)
        self._size = size
        self._seconds = seconds

    async def score(self, values: Mapping[str, Any]) -> ScoreAnswer:
        """The answer to the fields of a request. Raises NotScored; Internal for a defect."""
        if len(to_json(values)) > self._size:
            raise NotScored(BodyTooLarge.slug)
        while True:
            try:
                async with self._places, asyncio.timeout(self._seconds + 1):
                    return await self._answer(values)
            except TimeoutError:
                raise NotScored(DeadlineExceeded.slug) from None
            except NoTurn:  # that says nothing about the conversation
                continue
            except Internal:
                raise
            except CrsEvalError as error:
                verdicts = error.partial.get("verdicts", ())
                raise NotScored(error.slug, [WireVerdict.model_validate(one) for one in verdicts]) from None


@dataclass(frozen=True)
class Judgement:
    """A result, with the verdicts that metrics count."""

    result: LiveResult
    verdicts: Sequence[Verdict] = ()


@dataclass(frozen=True, slots=True)
class Judging:
    """Judges on `factors` by `scoring`, and a sample by a model as well: of each conversation the last `messages`. The text goes into
    results only if it is to be kept. `maps` put scores on people's scale."""

    scoring: Scoring
    factors: Sequence[str]
    messages: int
    sampler: Sampler | None = None
    maps: Sequence[CalibrationMap] = ()
    keep_text: bool = False

    async def judge(self, due: ClaimedConversation) -> Judgement:
        """Return the judgement of a conversation. If it cannot be judged, the result says why, since a retry
        would fail. Raises Unreachable if the model's budget is unreachable, and whatever a defect raises."""
        began = time.monotonic()
        how = ended(due)
        body, left_out = log_of(due, self.messages)
        failure = key = None
        found: list[Verdict] = []
        verdicts: list[LiveVerdict] = []
        faults: list[LiveFault] = []
        model: list[Verdict] = []
        outcome: Outcome | None = None
        reasons: list[Why] = []
        if due.attempts > MOST_ATTEMPTS:
            failure = "gave_up"
        else:
            try:
                answer = await self.scoring.score(self._request(body))
                found = [one.value() for one in answer.verdicts]
                verdicts, key = self._live(answer.verdicts), answer.comparison_key
                faults = faults_of(answer)
            except NotScored as error:
                failure = error.reason
        if failure:
            log.warning("not_judged", conversation=due.conversation, reason=failure)
        mean = mean_of(verdicts)
        if self.sampler and not failure and how is not Ended.IN_PROGRESS:
            reasons = await asyncio.to_thread(self.sampler.reasons, body, verdicts)
            outcome, model, more = await self._by_model(self.sampler, reasons, body)
            verdicts = [*verdicts, *more]
        result = result_of(
            due,
            how,
            body,
            verdicts,
            time.monotonic() - began,
            faults=faults,
            mean=mean,
            left_out=left_out,
            failure=failure,
            model=outcome,
            model_reasons=reasons,
            comparison_key=key,
            log=body if self.keep_text else None,
        )
        return Judgement(result, [*found, *model])

    async def _by_model(
        self, sampler: Sampler, reasons: Sequence[Why], body: Mapping[str, Any]
    ) -> tuple[Outcome, list[Verdict], list[LiveVerdict]]:
        if not reasons:
            return Outcome.LEFT_OUT, [], []
        if not await sampler.affords():
            return Outcome.OVER_BUDGET, [], []
        try:
            async with asyncio.timeout(sampler.seconds):
                found = (await self.scoring.score(self._request(body, sampler.judge))).verdicts
        except NotScored as error:
            log.warning("model_failed", reason=error.reason)
            found = list(error.verdicts)
        except TimeoutError:
            log.warning("model_failed", reason="timeout")
            return Outcome.FAILED, [], []
        scored = any(verdict.score is not None for verdict in found)
        outcome = Outcome.JUDGED if scored else Outcome.FAILED
        return outcome, [one.value() for one in found], self._live(found)

    def _live(self, verdicts: Sequence[WireVerdict]) -> list[LiveVerdict]:
        return [LiveVerdict.of_verdict(one, self.maps, text=self.keep_text) for one in verdicts]

    def _request(self, body: Mapping[str, Any], judge: str | None = None) -> Mapping[str, Any]:
        # A deleted conversation must not go on in the cache of models' answers.
        return {"log": body, "factors": list(self.factors), "judge": judge, "cache": "off"}
