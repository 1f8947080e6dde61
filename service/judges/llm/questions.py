"""The calls that an inquiry makes: which factors go together, how often, in which layout; and putting them to a model: hits at
once, a shared prefix warmed, one repair."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from ...domain.completion import NO_USAGE, CacheMode, Call, Completion, LLMRequest, Usage
from ...domain.rubric import Factor, Judging
from ...llm.answer_text import mending
from ...llm.capability import Capability
from ...llm.failures import Answer, CacheMiss, ProviderError
from ...prompts import prompt, render
from ..inquiry import Case, Grouping, Inquiry, Layout
from .answer import Failure, Reading, Unreadable
from .itemised.outline import Outline, outline_of
from .log_text import confided, has_tools, render_log, render_material, sees_tools
from .prompt import Prompt, build_prompt, prefix_length, render_examples, words_of
from .verdicts import Draw, ExpectedReader, ListReader, Outcome, RatingReader, Reader, share

ROOM = 4
"""The multiple of its reasons' asked length that an answer may take, beside `FRAME` tokens for the
rest of it: languages with more tokens a word, models that run on. What is cut off is no answer."""

FRAME = 200
FEWEST_CALLS = 3
"""Warming a shared prefix costs the time of a call: it takes so many to be worth it."""

MOST_ALTERNATIVES = 20
"""Tokens beside the chosen one whose probabilities are asked for: the most that servers give."""

SURE = 1.1
"""A prefix is judged long enough when the estimate of its length exceeds the bound by a tenth."""


@dataclass(frozen=True, slots=True)
class Question:
    """One call: some factors, asked once. `prompt` is the same for all draws; `reader` reads the answer."""

    group: tuple[Factor, ...]
    prompt: Prompt
    request: LLMRequest
    reader: Reader


def questions_of(
    inquiry: Inquiry, factors: Sequence[Factor], blank: LLMRequest, capability: Capability, tokens: int
) -> list[Question]:
    """The questions about these factors; `blank` names the model, `capability` says what it takes,
    `tokens` how long the reasons for one score are to be."""
    groups = [
        group
        for judging in Judging
        for group in grouped(
            [factor for factor in factors if inquiry.judging(factor) is judging],
            inquiry.grouping,
            inquiry.case,
        )
    ]
    outline = outline_of(inquiry.case) if inquiry.itemised else None
    log_text = render_log(inquiry.case)
    with_tools = render_log(inquiry.case, tools=True) if has_tools(inquiry.case.log) else log_text
    calls = len(groups) * inquiry.samples
    layout = choose_layout(inquiry.layout, prefix_length(log_text, words_of(tokens)), calls, capability)
    return [
        Question(group, made, request, reader)
        for group in groups
        for made in [_prompt(inquiry, group, with_tools if sees_tools(group) else log_text, layout, tokens)]
        for reader in [_reader(inquiry, group, outline)]
        for request in _requests(inquiry, group, replace(blank, messages=made.messages), tokens, reader)
    ]


def grouped(factors: Sequence[Factor], grouping: Grouping, case: Case) -> list[tuple[Factor, ...]]:
    """The factors of each call, in the order given. What only some factors may see (the wanted items, the user's
    preferences and feelings, other scores) is in no call with the others."""
    if grouping is Grouping.SEPARATE:
        return [(factor,) for factor in factors]
    groups: dict[object, list[Factor]] = {}
    for factor in factors:
        together = (factor.protocol, factor.dimension) if grouping is Grouping.DIMENSION else None
        groups.setdefault((together, confided(case, factor), _reads_tools(case, factor)), []).append(factor)
    return [tuple(group) for group in groups.values()]


def _reads_tools(case: Case, factor: Factor) -> bool:
    return sees_tools((factor,)) and has_tools(case.log)


def choose_layout(wanted: Layout, prefix: float, calls: int, capability: Capability) -> Layout:
    """Return what comes first where nothing was asked for: the log only if the provider will keep a prefix
    of about `prefix` tokens, and there are calls enough to use it."""
    if wanted is not Layout.AUTO:
        return wanted
    shortest = capability.prefix_tokens
    pays = shortest is not None and calls >= FEWEST_CALLS and prefix > SURE * shortest
    return Layout.LOG_FIRST if pays else Layout.FACTOR_FIRST


def _prompt(
    inquiry: Inquiry, group: tuple[Factor, ...], log_text: str, layout: Layout, tokens: int
) -> Prompt:
    material = render_material(inquiry.case, group, inquiry.verdicts, inquiry.scales)
    domain = inquiry.case.log.domain
    return build_prompt(
        log_text,
        material,
        group,
        domain=domain,
        layout=layout,
        words=words_of(tokens),
        judging=inquiry.judging(group[0]),
        anchors=inquiry.anchors,
        examples=render_examples(inquiry.examples, group, inquiry.case.log),
    )


def _reader(inquiry: Inquiry, group: tuple[Factor, ...], outline: Outline | None) -> Reader:
    if outline is not None and inquiry.judging(group[0]) is Judging.ITEMISED:
        return ListReader(group, outline, inquiry.case)
    return ExpectedReader(group) if inquiry.expected else RatingReader(group)


def _requests(
    inquiry: Inquiry, group: tuple[Factor, ...], blank: LLMRequest, tokens: int, reader: Reader
) -> Iterator[LLMRequest]:
    """One draw as deterministic, several as independent as the model lets them be."""
    for draw in range(inquiry.samples):
        yield replace(
            blank,
            schema=reader.schema,
            temperature=0.0 if inquiry.samples == 1 else 1.0,
            seed=draw,
            max_tokens=len(group) * (ROOM * tokens + FRAME) + reader.room,
            logprobs=MOST_ALTERNATIVES if isinstance(reader, ExpectedReader) else None,
            draw=draw,
        )


Answered = tuple[Question, list[Draw]]


class Models(Protocol):
    """Answers requests, and knows what their models take."""

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]: ...

    def capability(self, request: LLMRequest) -> Capability: ...


async def answers(
    models: Models, questions: Sequence[Question], call: Call
) -> AsyncGenerator[Answered, None]:
    """Each question with its draws, one a factor, as they come. All are looked up in one round trip
    first; leaving the iterator cancels what is still asked."""
    missing = list(questions)
    if questions and call.cache in {CacheMode.USE, CacheMode.ONLY}:
        hits = zip(questions, await _look_up(models, questions, call), strict=True)
        missing = []
        for question, hit in hits:
            if isinstance(hit, CacheMiss) and call.cache is CacheMode.USE:
                missing.append(question)
            else:
                yield question, _draws(question, hit)
    call = replace(call, looked_up=call.cache is CacheMode.USE)
    if missing and _shares_prefix(missing):
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


def _shares_prefix(questions: Sequence[Question]) -> bool:
    return len(questions) > 1 and any(message.prefix_ends for message in questions[0].request.messages)


async def _look_up(models: Models, questions: Sequence[Question], call: Call) -> list[Answer]:
    last = len(questions[0].prompt.messages) - 1
    by_body = {question.prompt.messages[last].content: question.reader.accepts for question in questions}
    looking = replace(call, cache=CacheMode.ONLY, accept=partial(_accepts_listed, by_body, last))
    return await models.complete([question.request for question in questions], looking)


# Functions of the module, since a worker sends them to its parent.
def _accepts_listed(
    by_body: Mapping[str, Callable[[str], bool]], last: int, request: LLMRequest, completion: Completion
) -> bool:
    return by_body[request.messages[last].content](completion.text)


def _accepts(readable: Callable[[str], bool], _: LLMRequest, completion: Completion) -> bool:
    return readable(completion.text)


async def _put(models: Models, question: Question, call: Call) -> Answered:
    """Ask, and once more where the answer cannot be used."""
    call = replace(call, accept=partial(_accepts, question.reader.accepts))
    [first] = await models.complete([question.request], call)
    mending = _mending(question, first)
    if mending is None:
        return question, _draws(question, first)
    [second] = await models.complete([mending], replace(call, looked_up=False))
    pairs = zip(_draws(question, first), _draws(question, second), strict=True)
    return question, [_mended(old, new) for old, new in pairs]


def _mending(question: Question, answer: Answer) -> LLMRequest | None:
    """The request that may bring a usable answer where this one is none; None where it is, or where
    asking again is of no use."""

    def wish() -> str | None:
        assert isinstance(answer, Completion)
        problems = (found.problem for found in _read(question, answer) if isinstance(found, Unreadable))
        problem = next(problems, None)
        return problem and render(prompt("judge/repair"), problem=problem)

    return mending(question.request, answer, wish)


def _read(question: Question, completion: Completion) -> list[Outcome]:
    readings = question.reader.read(completion)
    return [readings[factor.slug] for factor in question.group]


def _draws(question: Question, answer: Answer) -> list[Draw]:
    """One draw for each factor; they share what the call cost."""
    number = len(question.group)
    usage = _spent(answer)
    if isinstance(answer, ProviderError):
        failure = Failure(answer.code, answer.detail, answer.retry_after)
        return [Draw(failure, usage=share(usage, number, index)) for index in range(number)]
    return [
        Draw(_outcome(found), answer.model, answer.cached, usage=share(usage, number, index))
        for index, found in enumerate(_read(question, answer))
    ]


def _outcome(found: Outcome) -> Reading | Failure:
    if not isinstance(found, Unreadable):
        return found
    return Failure("unreadable", f"the answer cannot be read: {found.problem}")


def _mended(old: Draw, new: Draw) -> Draw:
    """Return what a factor got in two attempts: the first that can be read, and what both cost."""
    usage = old.usage + new.usage
    if isinstance(old.outcome, Reading):
        return replace(old, usage=usage)
    if isinstance(new.outcome, Reading):
        return replace(new, usage=usage, repaired=True)
    detail = f"{old.outcome.detail}; asked again: {new.outcome.detail}"
    return replace(old, outcome=Failure(old.outcome.code, detail), usage=usage)


def _spent(answer: Answer) -> Usage:
    return answer.usage + (answer.lost if isinstance(answer, Completion) else NO_USAGE)
