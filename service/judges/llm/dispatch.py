"""Putting questions to a model: hits at once, a shared prefix warmed, one repair."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from ...domain.completion import NO_USAGE, CacheMode, Call, Completion, LLMRequest, Usage
from ...llm.answer_text import mending
from ...llm.capability import Capability
from ...llm.failures import Answer, CacheMiss, ProviderError
from ...prompts import prompt, render
from .answer import Failure, Reading, Unreadable
from .questions import Question
from .readers import Outcome
from .verdicts import Draw, share

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
