"""The judge: an inquiry in, verdicts out as they are ready."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from ...domain.completion import Call, LLMRequest
from ...domain.rubric import Factor, Form, Judging
from ...domain.verdict import Flag, JudgeName, NotAssessable, Samples, Scored, Verdict
from ..inquiry import Inquiry, Refusal
from .dispatch import Models, answers
from .examples import render_examples
from .gaps import Gap, factor_flags, find_gap, log_flags
from .material import reads_text, titled
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

    def refusal(self, inquiry: Inquiry) -> Refusal | None:
        """Return what this model cannot do, as far as is known: not every server gives the probabilities
        of tokens."""
        if inquiry.expected and not self._models.capability(self._blank).logprobs:
            detail = f"{self._name} gives, to our knowledge, no probabilities of tokens (logprobs)"
            fix = "name a model that gives them, or ask for several `samples` instead"
            return Refusal("expected", detail, fix)
        return None

    async def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]:
        """One verdict for each factor, those that need no call first, the others as they come."""
        inquiry = replace(
            inquiry, factors=tuple(factor.read_as(inquiry.variant) for factor in inquiry.factors)
        )
        # One log a turn of the event loop: where a hundred come at once, the first one's calls go out
        # before the last one's prompts are written.
        async with self._turn:
            flags = await log_flags(inquiry.case)
            gaps, questions = self._prepare(inquiry)
            await asyncio.sleep(0)
        for factor in inquiry.factors:
            if (gap := gaps[factor.slug]) is not None:
                yield self._not_assessable(inquiry, factor, gap, flags)
            elif (hit := self._hit(inquiry, factor)) is not None:
                yield self._wanted(inquiry, factor, hit, flags)
        draws: dict[str, list[list[Draw]]] = {}
        async with aclosing(answers(self._models, questions, call)) as coming:
            async for question, answered in coming:
                of_group = draws.setdefault(question.prompt.text_hash, [])
                of_group.append(answered)
                if len(of_group) == inquiry.samples:
                    for verdict in self._verdicts(inquiry, question, of_group, flags):
                        yield verdict

    def _prepare(self, inquiry: Inquiry) -> tuple[Mapping[str, Gap | None], list[Question]]:
        """Return what stands against each factor, and the questions about those where nothing does."""
        gaps = {factor.slug: find_gap(inquiry, factor) for factor in inquiry.factors}
        factors = [
            factor
            for factor in inquiry.factors
            if gaps[factor.slug] is None and not self._hit(inquiry, factor)
        ]
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
            scale=factor.scale,
            method=_method(inquiry, factor),
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
            method=_method(inquiry, factor),
            code=gap.code,
            detail=gap.detail,
            missing=gap.missing,
        )

    def _hit(self, inquiry: Inquiry, factor: Factor) -> str | None:
        """The wanted item in the lists, where a list of likenesses would be asked for: there is no need to."""
        asked, case = factor.itemised, inquiry.case
        if asked is None or asked.form is not Form.SIMILARITY or inquiry.judging(factor) is Judging.RATING:
            return None
        shown = () if reads_text(case) else case.log.session_list(case.list_cutoff)
        return next((one for one in shown if case.wanted(one) is not None), None)

    def _wanted(self, inquiry: Inquiry, factor: Factor, hit: str, flags: tuple[Flag, ...]) -> Scored:
        """The highest level, found by title or id: no model was asked."""
        score = float(factor.scale.max)
        return Scored(
            factor=factor.slug,
            judge=self._name,
            evaluator_revision=self._revision(factor, inquiry),
            flags=flags,
            samples=Samples(inquiry.samples, (score,)),
            method=_method(inquiry, factor),
            score=score,
            level=factor.scale.max,
            rationale=f"A wanted item is in the lists: {titled(inquiry.case, hit).removeprefix('- ')}.",
            counts={"wanted": 1},
        )

    def _revision(self, factor: Factor, inquiry: Inquiry) -> str:
        return evaluator_revision(
            factor,
            inquiry.case.log.domain,
            words_of(self._tokens),
            inquiry.variant,
            inquiry.judging(factor),
            examples=render_examples(inquiry.examples, (factor,)),
            expected=inquiry.expected,
            anchors=inquiry.anchors,
        )


def _method(inquiry: Inquiry, factor: Factor) -> str:
    return "expected" if inquiry.expected else inquiry.judging(factor).value
