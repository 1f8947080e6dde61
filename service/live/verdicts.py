"""Judge a conversation as `/score` would."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from ..domain.calibration import CalibrationMap
from ..domain.verdict import Verdict
from ..store.conversations.protocol import ClaimedConversation
from ..usecases.wire.verdict import Verdict as WireVerdict
from .conversation import Ended, ended, log_of
from .result import LiveFault, LiveResult, LiveVerdict, faults_of, mean_of, result_of
from .sampling import Outcome, Sampler, Why
from .scoring import NotScored, Scoring

MOST_ATTEMPTS = 5
"""Claims of a conversation that end without a result, because its workers die, before it is given up."""

log = structlog.get_logger("crs_eval.live")


@dataclass(frozen=True)
class Judgement:
    """A result, with the verdicts that metrics count."""

    result: LiveResult
    verdicts: Sequence[Verdict] = ()


class Judging:
    """Judges on `factors` by `scoring`, and a sample by a model as well: of each conversation the last `messages`. The text goes into
    results only if it is to be kept. `maps` put scores on people's scale."""

    def __init__(
        self,
        scoring: Scoring,
        factors: Sequence[str],
        messages: int,
        *,
        sampler: Sampler | None = None,
        maps: Sequence[CalibrationMap] = (),
        keep_text: bool = False,
    ) -> None:
        self._scoring = scoring
        self._factors = list(factors)
        self._messages = messages
        self._sampler = sampler
        self._maps = maps
        self._keep_text = keep_text

    async def judge(self, due: ClaimedConversation) -> Judgement:
        """Return the judgement of a conversation. If it cannot be judged, the result says why, since a retry
        would fail. Raises Unreachable if the model's budget is unreachable, and whatever a defect raises."""
        began = time.monotonic()
        how = ended(due)
        body, left_out = log_of(due, self._messages)
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
                answer = await self._scoring.score(self._request(body))
                found = [one.value() for one in answer.verdicts]
                verdicts, key = self._live(answer.verdicts), answer.comparison_key
                faults = faults_of(answer)
            except NotScored as error:
                failure = error.reason
        if failure:
            log.warning("not_judged", conversation=due.conversation, reason=failure)
        mean = mean_of(verdicts)
        if self._sampler and not failure and how is not Ended.IN_PROGRESS:
            reasons = await asyncio.to_thread(self._sampler.reasons, body, verdicts)
            outcome, model, more = await self._by_model(self._sampler, reasons, body)
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
            log=body if self._keep_text else None,
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
                found = (await self._scoring.score(self._request(body, sampler.judge))).verdicts
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
        return [LiveVerdict.of_verdict(one, self._maps, text=self._keep_text) for one in verdicts]

    def _request(self, body: Mapping[str, Any], judge: str | None = None) -> Mapping[str, Any]:
        # A deleted conversation must not go on in the cache of models' answers.
        return {"log": body, "factors": self._factors, "judge": judge, "cache": "off"}
