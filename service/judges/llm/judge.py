"""Gaps: inputs that a verdict needs and a log lacks; flags that a reader of any verdict on the log must know; and the judge: an evaluation request in,
verdicts out as they are ready."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice

from ...domain.completion import Call
from ...domain.conversation import Message
from ...domain.modes import Judging
from ...domain.parts import ImagePart, ItemsPart, ToolCall, ToolResult
from ...domain.rubric import Factor, Form, Need
from ...domain.verdict import Flag, JudgeName, NotAssessable, Samples, Scored, Verdict, VerdictBase
from ...llm.capability import Capability
from ...llm.repair import request_to
from ...prompt_injection.detection import find_steering
from ..evaluation import EvaluationRequest, JudgeInput, Refusal, unread_flags
from .items import list_cut, reads_text, sources_cut, titled, wanted_cut
from .log_text import cut_flags, sees_tools
from .prompt import Wording, evaluator_revision, render_examples
from .questions import KnownModels, Question, answers, questions_of, shares_rubrics
from .rubrics import words_of
from .verdicts import Draw, FaultReader, build_verdict, verdict_fields

TEMPERATURE_NOT_TAKEN = "temperature_not_taken"
MOST_STEERING_FLAGS = 20
MOST_CUT_FLAGS = 20
CHARACTERS_A_TURN = 1_000
BY_PREFERENCES = "effectiveness"


@dataclass(frozen=True, slots=True)
class Gap:
    """The reason why a factor cannot be judged at all: nothing is asked."""

    code: str
    detail: str
    missing: tuple[str, ...]


def find_gap(evaluation: EvaluationRequest, factor: Factor) -> Gap | None:
    """The first input that the factor needs and the request lacks."""
    return next(missing_inputs(evaluation, factor), None)


def missing_inputs(evaluation: EvaluationRequest, factor: Factor) -> Iterator[Gap]:
    """Every input that the factor needs and the request lacks."""
    log, needs = evaluation.judge_input.log, factor.needs
    if not log.replies:
        yield Gap("no_replies", "the log holds no message of the recommender", ("replies",))
    if Need.RECOMMENDATIONS in needs and (gap := _list_gap(evaluation.judge_input, factor)):
        yield gap
    if Need.GROUND_TRUTH in needs and not log.ground_truth:
        yield Gap("missing_ground_truth", "the log does not say what the user wanted", ("ground_truth",))
    if Need.PREFERENCES in needs and not (log.user and log.user.preferences):
        yield Gap("missing_preferences", "the log does not say what the user likes", ("user.preferences",))
    if Need.THOUGHTS in needs and not any(message.thoughts for message in log.messages):
        yield Gap("missing_thoughts", "no message carries the user's feelings", ("messages.thoughts",))
    others = (one for one in evaluation.verdicts if isinstance(one, Scored) and one.factor != factor.slug)
    if Need.VERDICTS in needs and not any(others):
        yield Gap("missing_verdicts", "no scores of other factors were given", ("verdicts",))


def _list_gap(judge_input: JudgeInput, factor: Factor) -> Gap | None:
    if reads_text(judge_input):
        if Need.MESSAGES not in factor.needs:
            return None
        detail = "the items were taken from the text itself: there is no list to compare it with"
        return Gap("list_from_text", detail, ("recommendations",))
    if judge_input.log.session_list(judge_input.list_cutoff):
        return None
    return Gap("missing_recommendations", "no reply carries a list of items", ("recommendations",))


def find_hit(evaluation: EvaluationRequest, factor: Factor) -> str | None:
    """Return the wanted item in the lists, where a list of likenesses would be asked for: there is no need to."""
    asked, judge_input = factor.itemised, evaluation.judge_input
    if asked is None or asked.form is not Form.SIMILARITY or evaluation.judging(factor) is Judging.RATING:
        return None
    shown = () if reads_text(judge_input) else judge_input.log.session_list(judge_input.list_cutoff)
    return next((one for one in shown if judge_input.wanted(one) is not None), None)


async def log_flags(judge_input: JudgeInput) -> tuple[Flag, ...]:
    """Flags that hold for every verdict on a log. Steering is looked for in the part of a message that rules
    read (`JudgeInput.reach`); this is slow on long logs, so other tasks run in between."""
    flags = []
    if not judge_input.log.complete:
        flags.append(
            Flag("in_progress", "the conversation is not complete, so a missing end costs no points")
        )
    detail = "text that talks to the judge: the prompt tells the model to give it no weight"
    reach = judge_input.reach
    steering: list[Flag] = []
    unread = CHARACTERS_A_TURN
    for index, message in enumerate(judge_input.log.messages):
        if len(steering) == MOST_STEERING_FLAGS:
            break
        text = message.content[:reach]
        if find_steering(text) or any(map(find_steering, _beside(message, reach))):
            steering.append(Flag("steering_attempt", detail, index))
        unread -= len(text)
        if unread <= 0:
            unread = CHARACTERS_A_TURN
            await asyncio.sleep(0)
    longer = (index for index, message in enumerate(judge_input.log.messages) if len(message.content) > reach)
    unseen = f"text that talks to the judge was looked for in the first {reach} characters only"
    cut = (Flag("text_cut", unseen, index) for index in islice(longer, MOST_CUT_FLAGS))
    return (*flags, *steering, *cut, *unread_flags(judge_input.log))


def _beside(message: Message, reach: int) -> Iterator[str]:
    """The texts of a message's parts that a prompt may show."""
    for part in message.parts:
        match part:
            case ItemsPart():
                for card in part.cards:
                    item = card.item
                    yield "\n".join((item.title, item.description or "") if item else (card.reference,))[
                        :reach
                    ]
            case ImagePart():
                yield (part.alt or "")[:reach]
            case ToolCall() | ToolResult():
                yield part.body[:reach]


def factor_flags(evaluation: EvaluationRequest, factor: Factor, group: Sequence[Factor]) -> Iterator[Flag]:
    """Yield the flags that hold for a factor's verdict however it comes out."""
    judge_input = evaluation.judge_input
    yield from cut_flags(judge_input, tools=sees_tools(group))
    needs = {need for each in group for need in (*each.needs, *each.uses)}
    if Need.RECOMMENDATIONS in needs and not reads_text(judge_input):
        yield from list_cut(judge_input)
    if Need.GROUND_TRUTH in needs:
        yield from wanted_cut(judge_input)
    if sees_tools(group):
        yield from sources_cut(judge_input)
    if Need.RECOMMENDATIONS in factor.needs and reads_text(judge_input):
        yield Flag("list_from_text", "the log has no lists to read: the judge took the items from the text")
    if factor.slug == BY_PREFERENCES and not judge_input.log.ground_truth:
        detail = "no ground truth was given: judged against the preferences that the user expressed"
        yield Flag("judged_on_preferences", detail)
    if len(group) > 1 and evaluation.judging(factor) is not Judging.FAULTS:
        detail = (
            f"judged in one call with {len(group) - 1} other factors: such scores pull at one another, and how "
            "well they agree with people is not measured"
        )
        yield Flag("grouped", detail)


def model_flags(capability: Capability, samples: int) -> Iterator[Flag]:
    """Yield the flags of all verdicts of a model: the parameters that it does not take, and those that the operator adds."""
    if not capability.temperature:
        detail = "the model takes no temperature: it answers at its server's own"
        yield Flag(TEMPERATURE_NOT_TAKEN, detail)
        if samples > 1:
            detail = "the model takes no temperature: its draws may be more alike than chance makes them"
            yield Flag("samples_not_independent", detail)
    if capability.extra:
        added = ", ".join(f"{name}={value}" for name, value in capability.extra)
        yield Flag("extra_parameters", f"the operator adds parameters to each request: {added[:500]}")


RATIONALE_TOKENS = 200


class LLMJudge:
    """Asks a model about each factor, or about several at once, and reads its answers with care.

    `rationale_tokens` is the requested length of one score's reasons. Raises ValueError for a name without a
    model."""

    def __init__(
        self, models: KnownModels, name: JudgeName, base_url: str, rationale_tokens: int = RATIONALE_TOKENS
    ) -> None:
        self._models = models
        self._name = name
        self._blank = request_to(name, base_url)
        self._tokens = rationale_tokens
        self._turn = asyncio.Lock()
        self._known_as: str | None = None

    @property
    def name(self) -> JudgeName:
        return self._name

    def refusal(self, evaluation: EvaluationRequest) -> Refusal | None:
        """Return what is known that this model cannot do: not every server gives the probabilities
        of tokens."""
        if evaluation.expected and not self._models.capability(self._blank).logprobs:
            detail = f"{self._name} gives, to our knowledge, no probabilities of tokens (logprobs)"
            fix = "name a model that gives them, or ask for several `samples` instead"
            return Refusal("expected", detail, fix)
        return None

    async def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]:
        """One verdict for each factor, those that need no call first, the others as they come."""
        evaluation = replace(
            evaluation, factors=tuple(factor.read_as(evaluation.variant) for factor in evaluation.factors)
        )
        # One log a turn of the event loop: where a hundred come at once, the first one's calls go out
        # before the last one's prompts are written.
        async with self._turn:
            flags = await log_flags(evaluation.judge_input)
            unasked = {factor.slug: self._unasked(evaluation, factor, flags) for factor in evaluation.factors}
            asked = [factor for factor in evaluation.factors if unasked[factor.slug] is None]
            capability = self._models.capability(self._blank)
            questions = questions_of(evaluation, asked, self._blank, capability, self._tokens)
            await asyncio.sleep(0)
        for ready in unasked.values():
            if ready is not None:
                yield ready
        draws: dict[str, list[list[Draw]]] = {}
        async with aclosing(answers(self._models, questions, call)) as coming:
            async for question, answered in coming:
                of_group = draws.setdefault(question.prompt.text_hash, [])
                of_group.append(answered)
                if len(of_group) == evaluation.samples:
                    for verdict in self._verdicts(evaluation, question, of_group, flags):
                        yield verdict

    def _verdicts(
        self,
        evaluation: EvaluationRequest,
        question: Question,
        draws: Sequence[Sequence[Draw]],
        flags: tuple[Flag, ...],
    ) -> list[Verdict]:
        log = evaluation.judge_input.log
        reported = (draw.model for answered in draws for draw in answered if draw.model)
        self._known_as = next(reported, self._known_as)
        columns = zip(question.group, zip(*draws, strict=True), strict=True)
        return [
            build_verdict(
                self._base(evaluation, factor, flags, question), factor.scale, column, log, self._known_as
            )
            for factor, column in columns
        ]

    def _unasked(
        self, evaluation: EvaluationRequest, factor: Factor, flags: tuple[Flag, ...]
    ) -> Verdict | None:
        """Return the verdict on a factor that no model is asked about: an input is missing, or a wanted item is in the lists."""
        gap, hit = find_gap(evaluation, factor), find_hit(evaluation, factor)
        if gap is None and hit is None:
            return None
        common = verdict_fields(self._base(evaluation, factor, flags, None))
        if gap is not None:
            return NotAssessable(**common, code=gap.code, detail=gap.detail, missing=gap.missing)
        title = titled(evaluation.judge_input, str(hit)).removeprefix("- ")
        score = float(factor.scale.max)
        return Scored(
            **common | {"samples": Samples(evaluation.samples, (score,))},
            score=score,
            level=factor.scale.max,
            rationale=f"A wanted item is in the lists: {title}.",
            counts={"wanted": 1},
        )

    def _base(
        self,
        evaluation: EvaluationRequest,
        factor: Factor,
        flags: tuple[Flag, ...],
        question: Question | None,
    ) -> VerdictBase:
        """Return what a verdict on a factor holds, however it comes out; `question` None where no model is asked."""
        capability = self._models.capability(self._blank)
        judging = evaluation.judging(factor)
        if question is None:
            shared = shares_rubrics(evaluation, (factor,), capability)
        else:
            shared = question.shared
            own = factor_flags(evaluation, factor, question.group)
            flags = (*flags, *own, *model_flags(capability, evaluation.samples))
        domain, words = evaluation.judge_input.log.domain, words_of(self._tokens)
        revision = evaluator_revision(
            factor,
            Wording(domain, words, judging, shared, evaluation.anchors),
            evaluation.variant,
            examples=render_examples(evaluation.examples, (factor,)),
            expected=evaluation.expected,
            beside_faults=question is not None and isinstance(question.reader, FaultReader),
        )
        return VerdictBase(
            factor=factor.slug,
            judge=self._name,
            evaluator_revision=revision,
            flags=flags,
            samples=Samples(evaluation.samples),
            prompt_hash=question.prompt.text_hash if question else None,
            method="expected" if evaluation.expected else judging.value,
        )
