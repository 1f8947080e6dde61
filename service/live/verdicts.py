"""Judge a conversation as `/score` would."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from pydantic import ValidationError
from pydantic_core import to_json

from ..api.plans.scoring import ask_everything
from ..api.routes.score import score_answer
from ..api.services import Services
from ..api.wire.score import ScoreAnswer, ScoreRequest
from ..domain.calibration import CalibrationMap
from ..domain.verdict import Verdict
from ..errors import CrsEvalError, InvalidRequest
from ..scoring.score import score
from ..store.conversations.protocol import Due
from .conversation import Ended, ended, log_of
from .result import LiveResult, LiveVerdict, mean_of, result_of, verdicts_of
from .sampling import Outcome, Sampler, Why

MOST_ATTEMPTS = 5
"""Claims of a conversation that end without a result, because its workers die, before it is given up."""

log = structlog.get_logger("crs_eval.live")


@dataclass(frozen=True)
class Judgement:
    """A result, with the verdicts that metrics count."""

    result: LiveResult
    verdicts: Sequence[Verdict] = ()


class Judging:
    """Judges on `factors` by the judges of `services`, and a sample by a model as well. The text goes into results only if it
    is to be kept. `maps` put scores on people's scale."""

    def __init__(
        self,
        services: Services,
        factors: Sequence[str],
        *,
        sampler: Sampler | None = None,
        maps: Sequence[CalibrationMap] = (),
        keep_text: bool = False,
    ) -> None:
        self._services = services
        self._factors = list(factors)
        self._sampler = sampler
        self._maps = maps
        self._keep_text = keep_text

    async def judge(self, due: Due) -> Judgement:
        """The judgement of a conversation. What cannot be judged has a result that says why: it would fail again. Raises
        Unreachable where the budget of the model cannot be asked."""
        how = ended(due)
        body, left_out = log_of(due, self._services.limits.messages)
        failure = key = None
        found: list[Verdict] = []
        verdicts: list[LiveVerdict] = []
        model: list[Verdict] = []
        outcome: Outcome | None = None
        reasons: list[Why] = []
        if due.attempts > MOST_ATTEMPTS:
            failure = "gave_up"
        else:
            try:
                found, answer = await self._ask(body)
                verdicts, key = self._told(answer), answer.comparison_key
            except CrsEvalError as error:
                failure = error.slug
            except ValidationError:
                failure = InvalidRequest.slug
        if failure:
            log.warning("not_judged", conversation=due.conversation, reason=failure)
        mean = mean_of(verdicts)
        if self._sampler and not failure and how is not Ended.IN_PROGRESS:
            reasons = self._sampler.reasons(body, verdicts)
            outcome, model, more = await self._by_model(self._sampler, reasons, body)
            verdicts = [*verdicts, *more]
        result = result_of(
            due,
            how,
            body,
            verdicts,
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
                found, answer = await self._ask(body, sampler.judge)
        except (CrsEvalError, TimeoutError) as error:
            log.warning("model_failed", reason=getattr(error, "slug", "timeout"))
            return Outcome.FAILED, [], []
        scored = any(verdict.score is not None for verdict in answer.verdicts)
        return Outcome.JUDGED if scored else Outcome.FAILED, found, self._told(answer)

    def _told(self, answer: ScoreAnswer) -> list[LiveVerdict]:
        return verdicts_of(answer, self._maps, text=self._keep_text)

    async def _ask(
        self, body: Mapping[str, Any], judge: str | None = None
    ) -> tuple[list[Verdict], ScoreAnswer]:
        here = self._services
        # A deleted conversation must not go on in the cache of models' answers.
        asked = {"log": body, "factors": self._factors, "judge": judge, "cache": "off"}
        asking = ask_everything(ScoreRequest.model_validate_json(to_json(asked)), here)
        found = [one async for one in score(asking.inquiry, asking.routes, here.judges.get, asking.call)]
        return found, score_answer(found, asking, here.factors)
