"""Preferences by a language model: asked about every factor in both orders, one call per order."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..domain.completion import NO_USAGE, Call, ChatMessage, Completion
from ..domain.rubric import Factor
from ..domain.verdict import JudgeName
from ..judges.evaluation import EvaluationRequest, JudgeInput
from ..judges.llm.answer import Failure, Unreadable, last_object
from ..judges.llm.judge import find_gap
from ..judges.llm.log_text import LOG_REVISION, render_log, render_material, sees_tools
from ..judges.llm.rubrics import notes, rubric, words_of
from ..judges.llm.schemas import as_text, object_schema
from ..llm.answer_text import printable
from ..llm.failures import Answer, ProviderError
from ..llm.repair import Completer, ask_with_repair, request_to
from ..prompts import render
from .preference import OVERALL, Order, Preference, Preferred, Shown, agreed

FOLDER = Path(__file__).parent / "prompts"
REVISION = 2
"""Raised with every change that reads another preference from the same answer."""
ROOM = 4
FRAME = 100
BETTER = {"type": "string", "enum": ["1", "2", "neither"]}
SCHEMA = as_text(object_schema({"rationale": {"type": "string"}, "better": BETTER}))


class ModelComparer:
    """Asks a model which of two conversations is better. `rationale_tokens` is how long its reasons are asked to be. Raises
    ValueError for a name without a model."""

    def __init__(self, models: Completer, name: JudgeName, base_url: str, rationale_tokens: int) -> None:
        self.name = name
        self._models = models
        self._tokens = rationale_tokens
        self._blank = request_to(name, base_url, schema=SCHEMA, temperature=0.0, seed=0)

    async def prefer(
        self,
        judge_inputs: tuple[JudgeInput, JudgeInput],
        factor: Factor | None,
        orders: Sequence[Shown],
        call: Call,
        evidence: tuple[str, str] = ("", ""),
    ) -> Preference:
        """Return the preference on a factor, or overall where that is None. `evidence` is shown behind each log."""
        blank = Preference(
            factor=factor.slug if factor else OVERALL,
            preferred=None,
            judge=self.name,
            evaluator_revision=self.revision(factor, judge_inputs[0].log.domain, evidence=any(evidence)),
        )
        if factor is not None and (gap := _gap(judge_inputs, factor)) is not None:
            return replace(blank, reason=gap)
        asked = await asyncio.gather(
            *(self._ask(judge_inputs, factor, shown, call, evidence) for shown in orders)
        )
        models = [last.model for *_, last in asked if isinstance(last, Completion)]
        answers = tuple(_order(shown, last) for shown, (*_, last) in zip(orders, asked, strict=True))
        preferred, rationale, reason = agreed(answers)
        return replace(
            blank,
            preferred=preferred,
            judge=replace(self.name, model=models[0]) if models else self.name,
            rationale=rationale,
            orders=answers,
            reason=reason,
            usage=sum((answer.spent for answers in asked for answer in answers), NO_USAGE),
        )

    def revision(self, factor: Factor | None, domain: str, *, evidence: bool = False) -> str:
        """12 hex digits over the prompt without the conversations, and how answers are read."""
        parts = [str(REVISION), str(LOG_REVISION), SCHEMA, _text("repair"), *self._question(factor, domain)]
        parts += ["evidence"] if evidence else []
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:12]

    def _question(self, factor: Factor | None, domain: str) -> tuple[str, str]:
        what = "the rubric of one factor" if factor else "a question"
        instruction = render(_text("instruction"), what=what, words=str(words_of(self._tokens)))
        return instruction, rubric(factor) + notes((factor,), domain) if factor else _text("overall").strip()

    async def _ask(
        self,
        judge_inputs: tuple[JudgeInput, JudgeInput],
        factor: Factor | None,
        shown: Shown,
        call: Call,
        evidence: tuple[str, str],
    ) -> list[Answer]:
        read = list(zip(judge_inputs, evidence, strict=True))[:: 1 if shown is Shown.FIRST_SECOND else -1]
        instruction, question = self._question(factor, judge_inputs[0].log.domain)
        shown_logs = (
            _conversation(n, judge_input, factor, found) for n, (judge_input, found) in enumerate(read, 1)
        )
        body = "\n\n".join([question, *shown_logs])
        request = replace(
            self._blank,
            messages=(ChatMessage("system", instruction), ChatMessage("user", body)),
            max_tokens=ROOM * self._tokens + FRAME,
        )
        return await ask_with_repair(self._models, request, call, read_preference, _repair)


def _gap(judge_inputs: tuple[JudgeInput, JudgeInput], factor: Factor) -> Failure | None:
    for name, judge_input in zip(("first", "second"), judge_inputs, strict=True):
        if (gap := find_gap(EvaluationRequest(judge_input, (factor,)), factor)) is not None:
            return Failure(gap.code, f"the {name} conversation: {gap.detail}")
    return None


def _conversation(number: int, judge_input: JudgeInput, factor: Factor | None, evidence: str) -> str:
    material = render_material(judge_input, [factor], (), {}) if factor else ""
    log = render_log(judge_input, tools=factor is not None and sees_tools([factor]))
    inside = "\n".join(filter(None, [log, evidence, material]))
    return f"<conversation_{number}>\n{inside}\n</conversation_{number}>"


@cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text("utf-8")


def read_preference(text: str) -> tuple[str, str] | str:
    """Return what the last JSON object of an answer prefers ("1", "2" or "neither") with its reasons, or what is wrong with it."""
    last = last_object(text, {"better"}, '"better"')
    if isinstance(last, Unreadable):
        return last.problem
    better, rationale = str(last["better"]).strip().casefold(), last.get("rationale")
    if better not in {"1", "2", "neither"}:
        return '"better" is not "1", "2" or "neither"'
    if not isinstance(rationale, str) or not rationale.strip():
        return '"rationale" is missing or empty'
    return better, printable(rationale.strip())


def _repair(problem: str) -> str:
    return render(_text("repair"), problem=problem)


def _order(shown: Shown, answer: Answer) -> Order:
    if isinstance(answer, ProviderError):
        return Order(shown, None, None, Failure(answer.code, answer.detail, answer.retry_after))
    found = read_preference(answer.text)
    if isinstance(found, str):
        return Order(shown, None, None, Failure("unreadable", f"the answer cannot be read: {found}"))
    better, rationale = found
    names = ("1", "2") if shown is Shown.FIRST_SECOND else ("2", "1")
    preferred = {names[0]: Preferred.FIRST, names[1]: Preferred.SECOND, "neither": Preferred.TIE}[better]
    return Order(shown, preferred, rationale, cached=answer.cached)
