"""The judge: an inquiry in, verdicts out as they are ready."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing

from ...domain.completion import Call, LLMRequest
from ...domain.rubric import Factor
from ...domain.verdict import Flag, JudgeName, NotAssessable, Samples, Verdict
from ..inquiry import Inquiry
from .dispatch import Models, answers
from .gaps import Gap, factor_flags, find_gap, log_flags
from .prompt import evaluator_revision, words_of
from .questions import Question, questions_of
from .verdicts import Draw, Matter, conclude

RATIONALE_TOKENS = 200


class LLMJudge:
    """Asks a model about each factor, or about several at once, and reads its answers with care.

    `rationale_tokens` is how long the reasons for one score are asked to be. Raises ValueError for
    a name without a model."""

    def __init__(
        self, models: Models, name: JudgeName, base_url: str, rationale_tokens: int = RATIONALE_TOKENS
    ) -> None:
        if name.model is None:
            raise ValueError(f"the judge {name} names no model")
        self._models = models
        self._name = name
        self._blank = LLMRequest(name.name, base_url, name.model, ())
        self._tokens = rationale_tokens
        self._turn = asyncio.Lock()

    @property
    def name(self) -> JudgeName:
        return self._name

    async def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]:
        """One verdict for each factor, those that need no call first, the others as they come."""
        # One log a turn of the event loop: where a hundred come at once, the first one's calls go out
        # before the last one's prompts are written.
        async with self._turn:
            flags = await log_flags(inquiry.case)
            gaps, questions = self._prepare(inquiry)
            await asyncio.sleep(0)
        for factor in inquiry.factors:
            if (gap := gaps[factor.slug]) is not None:
                yield self._not_assessable(inquiry, factor, gap, flags)
        draws: dict[str, list[list[Draw]]] = {}
        async with aclosing(answers(self._models, questions, call)) as coming:
            async for question, answered in coming:
                of_group = draws.setdefault(question.prompt.text_hash, [])
                of_group.append(answered)
                if len(of_group) == inquiry.samples:
                    for verdict in self._verdicts(inquiry, question, of_group, flags):
                        yield verdict

    def _prepare(self, inquiry: Inquiry) -> tuple[Mapping[str, Gap | None], list[Question]]:
        """What stands against each factor, and the questions about those where nothing does."""
        gaps = {factor.slug: find_gap(inquiry, factor) for factor in inquiry.factors}
        factors = [factor for factor in inquiry.factors if gaps[factor.slug] is None]
        capability = self._models.capability(self._blank)
        return gaps, questions_of(inquiry, factors, self._blank, capability, self._tokens)

    def _verdicts(
        self, inquiry: Inquiry, question: Question, draws: Sequence[Sequence[Draw]], flags: tuple[Flag, ...]
    ) -> list[Verdict]:
        log = inquiry.case.log
        columns = zip(question.group, zip(*draws, strict=True), strict=True)
        return [
            conclude(self._matter(inquiry, factor, question, flags), column, log)
            for factor, column in columns
        ]

    def _matter(
        self, inquiry: Inquiry, factor: Factor, question: Question, flags: tuple[Flag, ...]
    ) -> Matter:
        own = factor_flags(inquiry, factor, question.group)
        if inquiry.samples > 1 and not self._models.capability(self._blank).temperature:
            detail = "the model takes no temperature: its draws may be more alike than chance makes them"
            own = (*own, Flag("samples_not_independent", detail))
        return Matter(
            factor=factor.slug,
            judge=self._name,
            evaluator_revision=self._revision(factor, inquiry),
            prompt_hash=question.prompt.text_hash,
            requested=inquiry.samples,
            flags=(*flags, *own),
        )

    def _not_assessable(
        self, inquiry: Inquiry, factor: Factor, gap: Gap, flags: tuple[Flag, ...]
    ) -> NotAssessable:
        return NotAssessable(
            factor=factor.slug,
            judge=self._name,
            evaluator_revision=self._revision(factor, inquiry),
            flags=flags,
            samples=Samples(inquiry.samples),
            code=gap.code,
            detail=gap.detail,
            missing=gap.missing,
        )

    def _revision(self, factor: Factor, inquiry: Inquiry) -> str:
        return evaluator_revision(factor, inquiry.case.log.domain, words_of(self._tokens))
