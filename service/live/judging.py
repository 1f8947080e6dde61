"""Judge a conversation as `/score` would."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from pydantic import ValidationError
from pydantic_core import to_json

from ..api.answers import score_answer
from ..api.plans.scoring import ask_everything
from ..api.services import Services
from ..api.wire.score import ScoreAnswer, ScoreRequest
from ..domain.verdict import Verdict
from ..errors import CrsEvalError, InvalidRequest
from ..scoring.score import score
from ..store.conversations.protocol import Due
from .conversation import ended, log_of
from .result import LiveResult, LiveVerdict, result_of, verdicts_of

MOST_ATTEMPTS = 5
"""Claims of a conversation that end without a result, because its workers die, before it is given up."""

log = structlog.get_logger("crs_eval.live")


@dataclass(frozen=True)
class Judgement:
    """A result, with the verdicts that metrics count."""

    result: LiveResult
    verdicts: Sequence[Verdict] = ()


class Judging:
    """Judges on `factors` by the judges of `services`. The text goes into results only if it is to be kept."""

    def __init__(self, services: Services, factors: Sequence[str], *, keep_text: bool = False) -> None:
        self._services = services
        self._factors = list(factors)
        self._keep_text = keep_text

    async def judge(self, due: Due) -> Judgement:
        """The judgement of a conversation. What cannot be judged has a result that says why: it would fail again."""
        how = ended(due)
        body, left_out = log_of(due, self._services.limits.messages)
        failure = key = None
        found: list[Verdict] = []
        verdicts: list[LiveVerdict] = []
        if due.attempts > MOST_ATTEMPTS:
            failure = "gave_up"
        else:
            try:
                found, answer = await self._ask(body)
                verdicts, key = verdicts_of(answer, text=self._keep_text), answer.comparison_key
            except CrsEvalError as error:
                failure = error.slug
            except ValidationError:
                failure = InvalidRequest.slug
        if failure:
            log.warning("not_judged", conversation=due.conversation, reason=failure)
        result = result_of(
            due,
            how,
            body,
            verdicts,
            left_out=left_out,
            failure=failure,
            comparison_key=key,
            log=body if self._keep_text else None,
        )
        return Judgement(result, found)

    async def _ask(self, body: Mapping[str, Any]) -> tuple[list[Verdict], ScoreAnswer]:
        here = self._services
        request = ScoreRequest.model_validate_json(to_json({"log": body, "factors": self._factors}))
        asking = ask_everything(request, here)
        found = [one async for one in score(asking.inquiry, asking.routes, here.judges.get, asking.call)]
        return found, score_answer(found, asking, here.factors)
