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
from .result import LiveResult, LiveVerdict, faults_of, mean_of, result_of
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


@dataclass(frozen=True)
class Scoring:
    """Scores by `answer`, the use case of `/score`, as many conversations at a time as there are `places`: each of at most `size`
    bytes and for at most `seconds`."""

    answer: Callable[[Mapping[str, Any]], Awaitable[ScoreAnswer]]
    places: asyncio.Semaphore
    size: int
    seconds: float

    async def score(self, values: Mapping[str, Any]) -> ScoreAnswer:
        """The answer to the fields of a request. Raises NotScored; Internal for a defect."""
        if len(to_json(values)) > self.size:
            raise NotScored(BodyTooLarge.slug)
        while True:
            try:
                async with self.places, asyncio.timeout(self.seconds + 1):
                    return await self.answer(values)
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
        answer: ScoreAnswer | None = None
        failure: str | None = "gave_up"
        if due.attempts <= MOST_ATTEMPTS:
            try:
                answer, failure = await self.scoring.score(self._request(body)), None
            except NotScored as error:
                failure = error.reason
        if failure:
            log.warning("not_judged", conversation=due.conversation, reason=failure)
        found = list(answer.verdicts) if answer else []
        verdicts = self._live(found)
        mean = mean_of(verdicts)
        outcome: Outcome | None = None
        reasons: list[Why] = []
        if self.sampler and answer and how is not Ended.IN_PROGRESS:
            reasons = await asyncio.to_thread(self.sampler.reasons, body, verdicts)
            outcome, more = await self._by_model(self.sampler, reasons, body)
            found += more
        result = result_of(
            due,
            how,
            body,
            self._live(found),
            time.monotonic() - began,
            faults=faults_of(answer) if answer else [],
            mean=mean,
            left_out=left_out,
            failure=failure,
            model=outcome,
            model_reasons=reasons,
            comparison_key=answer.comparison_key if answer else None,
            log=body if self.keep_text else None,
        )
        return Judgement(result, [one.value() for one in found])

    async def _by_model(
        self, sampler: Sampler, reasons: Sequence[Why], body: Mapping[str, Any]
    ) -> tuple[Outcome, Sequence[WireVerdict]]:
        if not reasons:
            return Outcome.LEFT_OUT, []
        if not await sampler.affords():
            return Outcome.OVER_BUDGET, []
        found: Sequence[WireVerdict] = []
        try:
            async with asyncio.timeout(sampler.seconds):
                found = (await self.scoring.score(self._request(body, sampler.judge))).verdicts
        except NotScored as error:
            log.warning("model_failed", reason=error.reason)
            found = error.verdicts
        except TimeoutError:
            log.warning("model_failed", reason="timeout")
        scored = any(verdict.score is not None for verdict in found)
        return Outcome.JUDGED if scored else Outcome.FAILED, found

    def _live(self, verdicts: Sequence[WireVerdict]) -> list[LiveVerdict]:
        return [LiveVerdict.of_verdict(one, self.maps, text=self.keep_text) for one in verdicts]

    def _request(self, body: Mapping[str, Any], judge: str | None = None) -> Mapping[str, Any]:
        # A deleted conversation must not go on in the cache of models' answers.
        return {"log": body, "factors": list(self.factors), "judge": judge, "cache": "off"}
