"""The calls of an evaluation request: their factors and number of draws. They run with cache hits first, a
warmed shared prefix and one repair."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

from ...domain.completion import NO_USAGE, CacheMode, Call, ChatMessage, Completion, LLMRequest
from ...domain.modes import Judging, Variant
from ...domain.rubric import Factor
from ...faults import load_faults
from ...llm.capability import Capability
from ...llm.failures import Answer, CacheMiss, ContextTooLong, ProviderError, TruncatedCompletion
from ...llm.repair import Completer, ask_with_repair
from ...prompts import prompt, render
from ..evaluation import EvaluationRequest, Grouping
from .answer import Failure, RatedAnswer, Unreadable
from .faulted.scoring import FaultScorer
from .itemised.outline import NO_OUTLINE, Outline, outline_of
from .log_text import confided, has_tools, render_log, render_material, sees_tools
from .prompt import Prompt, Wording, build_prompt, render_examples
from .rubrics import shared_length, shared_protocol, words_of
from .verdicts import Draw, ExpectedReader, FaultReader, ListReader, Outcome, ProblemOf, RatingReader, share

ROOM = 4
"""Multiple of the reasons' requested length that an answer may take, beside `FRAME` tokens for the rest. Some
languages need more tokens; some models run on. A truncated answer is lost."""

FRAME = 200
FEWEST_CALLS = 3
WARMED = 800
"""Fewest calls, and characters of a log, for which warming a shared prefix is worth the time of a call."""

MOST_ALTERNATIVES = 20
"""Tokens beside the chosen one whose probabilities are asked for: the most that servers give."""

SHARED_CONTEXT = 16_000
"""Least context, in tokens, for a prompt with all rubrics of a protocol."""


Reader = RatingReader | ListReader | FaultReader


@dataclass(frozen=True, slots=True)
class Question:
    """One call: some factors, asked once. `prompt` is the same for all draws; `reader` reads the answer. `shared` says that the
    prompt holds all rubrics of the protocol; `smaller` makes the same question with the rubrics of its factors alone."""

    group: tuple[Factor, ...]
    prompt: Prompt
    request: LLMRequest
    reader: Reader
    shared: bool = False
    smaller: Callable[[], "Question"] | None = None


def questions_of(
    evaluation: EvaluationRequest,
    factors: Sequence[Factor],
    blank: LLMRequest,
    capability: Capability,
    tokens: int,
) -> list[Question]:
    """The questions about these factors; `blank` names the model, `capability` says what it takes,
    `tokens` how long the reasons for one score are to be."""
    maker = _Maker(evaluation, blank, tokens)
    return [
        maker.question(group, draw, shared=shares_rubrics(evaluation, group, capability))
        for group in _groups(evaluation, factors)
        for draw in range(evaluation.samples)
    ]


def shares_rubrics(evaluation: EvaluationRequest, group: Sequence[Factor], capability: Capability) -> bool:
    """Return whether the prompt about these factors holds all rubrics of their protocol, so that all factors and all logs share
    its beginning. The provider must keep beginnings of that length, and the model's context hold so much. A list has a form for each log, which
    providers put before the prompt: there is nothing to share."""
    least = capability.prefix_tokens
    fits = capability.context_tokens is None or capability.context_tokens >= SHARED_CONTEXT
    ours = evaluation.variant is Variant.CRS_EVAL and all(
        evaluation.judging(one) is Judging.RATING for one in group
    )
    protocol = shared_protocol(group) if ours else None
    return least is not None and fits and protocol is not None and shared_length(protocol) > least


class _Maker:
    """Makes the questions about one log. What they look up in it is looked up once."""

    def __init__(self, evaluation: EvaluationRequest, blank: LLMRequest, tokens: int) -> None:
        self._evaluation, self._blank, self._tokens = evaluation, blank, tokens

    def question(self, group: tuple[Factor, ...], draw: int, *, shared: bool) -> Question:
        """Return the question about a group of factors, for one draw."""
        reader = self._reader(group)
        made = self._prompt(group, shared)
        return Question(
            group=group,
            prompt=made,
            request=self._request(replace(self._blank, messages=made.messages), reader, draw),
            reader=reader,
            shared=shared,
            smaller=partial(self.question, group, draw, shared=False) if shared else None,
        )

    def _request(self, blank: LLMRequest, reader: Reader, draw: int) -> LLMRequest:
        """Make one draw as deterministic, several as independent as the model allows."""
        reasons = max(1, len(_rated_or_listed(self._evaluation, reader.group)))
        return replace(
            blank,
            schema=reader.schema,
            temperature=0.0 if self._evaluation.samples == 1 else 1.0,
            seed=draw,
            max_tokens=reasons * (ROOM * self._tokens + FRAME) + reader.room,
            logprobs=MOST_ALTERNATIVES if isinstance(reader, ExpectedReader) else None,
            draw=draw,
        )

    def _prompt(self, group: tuple[Factor, ...], shared: bool) -> Prompt:
        evaluation, judge_input = self._evaluation, self._evaluation.judge_input
        judging = _mode(evaluation, group)
        own = _rated_or_listed(evaluation, group)
        faulted = tuple(factor for factor in group if factor not in own)
        return build_prompt(
            self._log_with_tools if sees_tools(group) else self._log,
            render_material(judge_input, own, evaluation.verdicts, evaluation.scales, faulted),
            own,
            Wording(judge_input.log.domain, words_of(self._tokens), judging, shared, evaluation.anchors),
            examples=render_examples(evaluation.examples, group, judge_input.log),
            outline=NO_OUTLINE if judging is Judging.RATING else self._outline,
            faulted=faulted,
        )

    def _reader(self, group: tuple[Factor, ...]) -> Reader:
        match _mode(self._evaluation, group):
            case Judging.FAULTS:
                lists = ListReader(
                    _rated_or_listed(self._evaluation, group), self._outline, self._evaluation.judge_input
                )
                return FaultReader(group, self._scorer, lists)
            case Judging.ITEMISED:
                return ListReader(group, self._outline, self._evaluation.judge_input)
            case Judging.RATING:
                return ExpectedReader(group) if self._evaluation.expected else RatingReader(group)

    @cached_property
    def _log(self) -> str:
        return render_log(self._evaluation.judge_input)

    @cached_property
    def _log_with_tools(self) -> str:
        judge_input = self._evaluation.judge_input
        return render_log(judge_input, tools=True) if has_tools(judge_input.log) else self._log

    @cached_property
    def _outline(self) -> Outline:
        return outline_of(self._evaluation.judge_input)

    @cached_property
    def _scorer(self) -> FaultScorer:
        factors = {factor.slug: factor for factor in self._evaluation.factors}
        return FaultScorer(self._evaluation.judge_input, load_faults(), factors)


def _mode(evaluation: EvaluationRequest, group: Sequence[Factor]) -> Judging:
    """Return how a model answers on factors that share a call. An answer may hold a list of faults and lists of items."""
    modes = [evaluation.judging(factor) for factor in group]
    return Judging.FAULTS if Judging.FAULTS in modes else modes[0]


def _rated_or_listed(evaluation: EvaluationRequest, group: Sequence[Factor]) -> tuple[Factor, ...]:
    """Return the factors of a call that no list of faults decides."""
    return tuple(factor for factor in group if evaluation.judging(factor) is not Judging.FAULTS)


def _groups(evaluation: EvaluationRequest, factors: Sequence[Factor]) -> Iterator[tuple[Factor, ...]]:
    """Yield the factors of each call, one mode of judging after another. What only some factors may see (the wanted items, the
    user's preferences and feelings, other scores, tools) is in no call with the others. A list of faults needs none of it."""
    judge_input = evaluation.judge_input
    groups: dict[tuple[Judging, object, object], list[Factor]] = {}
    for factor in factors:
        secret = confided(judge_input, factor)
        # Lists of items go into the answer with the faults, unless their factors see what the others must not.
        beside = factor.slug in evaluation.faults and not secret
        judging = Judging.FAULTS if beside else evaluation.judging(factor)
        together = {
            Grouping.ALL: None,
            Grouping.DIMENSION: (factor.protocol, factor.dimension),
            Grouping.SEPARATE: factor.slug,
        }[evaluation.grouping_of(factor)]
        tools = sees_tools((factor,)) and has_tools(judge_input.log)
        sees = None if judging is Judging.FAULTS else (secret, tools)
        groups.setdefault((judging, together, sees), []).append(factor)
    order = list(Judging)
    for key in sorted(groups, key=lambda key: order.index(key[0])):
        yield tuple(groups[key])


Answered = tuple[Question, list[Draw]]


class KnownModels(Completer, Protocol):
    """Answers requests, and knows what their models take."""

    def capability(self, request: LLMRequest) -> Capability: ...


async def answers(
    models: KnownModels, questions: Sequence[Question], call: Call
) -> AsyncGenerator[Answered, None]:
    """Yield each question with its draws, one per factor. The cache is read first, in one round trip; leaving
    the iterator cancels open calls."""
    missing = list(questions)
    if questions and call.cache in {CacheMode.USE, CacheMode.ONLY}:
        by_prompt = {
            _contents(question.prompt.messages): question.reader.problem_of for question in questions
        }
        looking = replace(call, cache=CacheMode.ONLY, accept=partial(_accepts_listed, by_prompt))
        hits = await models.complete([question.request for question in questions], looking)
        missing = []
        for question, hit in zip(questions, hits, strict=True):
            if isinstance(hit, CacheMiss) and call.cache is CacheMode.USE:
                missing.append(question)
            else:
                yield question, _draws(question, hit)
    call = replace(call, looked_up=call.cache is CacheMode.USE)
    if missing and _pays_to_warm(missing, models.capability(missing[0].request)):
        # A provider keeps a prefix only once a first call has been answered.
        yield await _put(models, missing.pop(0), call)
    tasks = [asyncio.create_task(_put(models, question, call)) for question in missing]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _pays_to_warm(questions: Sequence[Question], capability: Capability) -> bool:
    """Return whether to await a first call, so that the provider caches the shared log."""
    kept = [message.content for message in questions[0].request.messages if message.prefix_ends]
    return (
        capability.prefix_tokens is not None
        and len(questions) >= FEWEST_CALLS
        and sum(map(len, kept[1:])) >= WARMED
    )


def _contents(messages: Sequence[ChatMessage]) -> tuple[str, ...]:
    return tuple(message.content for message in messages)


# A function of the module, since a worker sends it to its parent.
def _accepts_listed(
    by_prompt: Mapping[tuple[str, ...], ProblemOf], request: LLMRequest, completion: Completion
) -> bool:
    whole = _contents(request.messages)
    # Servers without schemas get the form of the answer in one more message.
    known = next(whole[:end] for end in range(len(whole), 0, -1) if whole[:end] in by_prompt)
    return by_prompt[known](completion.text) is None


async def _put(models: KnownModels, question: Question, call: Call) -> Answered:
    """Ask, and once more where the answer cannot be used."""
    lost = NO_USAGE
    answers = await ask_with_repair(models, question.request, call, question.reader.problem_of, _repair)
    if question.smaller is not None and _is_too_small(answers[0]):
        question, lost = question.smaller(), answers[0].spent
        answers = await ask_with_repair(models, question.request, call, question.reader.problem_of, _repair)
    first, *seconds = answers
    draws = _draws(question, first)
    raised = isinstance(first, TruncatedCompletion) and models.capability(question.request).temperature
    for second in seconds:
        news = [replace(draw, warmer=raised) for draw in _draws(question, second)]
        draws = [_mended(old, new) for old, new in zip(draws, news, strict=True)]
    return question, [replace(draws[0], usage=draws[0].usage + lost), *draws[1:]]


def _is_too_small(answer: Answer) -> bool:
    """Return whether a server refused or cut a prompt, since its context is too small for all rubrics of a protocol."""
    return (
        isinstance(answer, ContextTooLong)
        and answer.context is not None
        and answer.usage.input_tokens in {0, answer.context}
        and answer.context < SHARED_CONTEXT
    )


def _repair(problem: str) -> str:
    return render(prompt("judge/repair"), problem=problem)


def _draws(question: Question, answer: Answer) -> list[Draw]:
    """One draw for each factor; they share what the call cost."""
    number = len(question.group)
    usage = answer.spent
    if isinstance(answer, ProviderError):
        failure = Failure(answer.code, answer.detail, answer.retry_after)
        return [Draw(failure, answer.model, usage=share(usage, number, index)) for index in range(number)]
    found = question.reader.read(answer)
    return [
        Draw(
            _outcome(found[factor.slug]),
            answer.model,
            answer.cached,
            whole=not isinstance(found[factor.slug], Unreadable),
            usage=share(usage, number, index),
        )
        for index, factor in enumerate(question.group)
    ]


def _outcome(found: Outcome) -> RatedAnswer | Failure:
    if not isinstance(found, Unreadable):
        return found
    return found.fallback or Failure("unreadable", f"the answer cannot be read: {found.problem}")


def _mended(old: Draw, new: Draw) -> Draw:
    """Return the better of two attempts with the cost of both: a complete first one, else the last readable
    one."""
    usage = old.usage + new.usage
    if isinstance(old.outcome, RatedAnswer) and old.whole:
        return replace(old, usage=usage)
    if isinstance(new.outcome, RatedAnswer):
        return replace(new, usage=usage, repaired=True)
    if isinstance(old.outcome, RatedAnswer):
        return replace(old, usage=usage)
    detail = f"{old.outcome.detail}; asked again: {new.outcome.detail}"
    return replace(old, outcome=Failure(old.outcome.code, detail), usage=usage)
