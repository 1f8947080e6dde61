"""Requests to a model by its name, and the second request after an answer that cannot be used."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from typing import Any, Protocol

from ..domain.completion import Call, ChatMessage, Completion, LLMRequest
from ..domain.verdict import JudgeName
from .failures import Answer, ProviderError, TruncatedCompletion

LONGEST_SHOWN = 4000
"""Characters of the unusable answer, from its end, that its author is shown again."""
WARMER = 0.5
"""The temperature after an answer that was cut off: at 0 the same model runs on in the same way."""
OTHER_SEED = 1_000

Read = Callable[[str], object]
"""Reads the text of an answer. Returns a sentence if it cannot be used, and anything else if it can. A worker sends it to its parent."""


class Completer(Protocol):
    """Answers requests, in order, whatever the provider."""

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]: ...


def request_to(name: JudgeName, base_url: str, **fields: Any) -> LLMRequest:
    """Return a request to the model of a judge, without messages yet. Raises ValueError for a name without a model."""
    if name.model is None:
        raise ValueError(f"the judge {name} names no model")
    return LLMRequest(name.name, base_url, name.model, (), **fields)


async def ask_with_repair(
    models: Completer, request: LLMRequest, call: Call, read: Read, repair: Callable[[str], str]
) -> list[Answer]:
    """Return the answer to a request, followed by the answer to its repair where the first could not be used. `repair` makes the
    request to answer again of what is wrong. The cache keeps nothing that cannot be used. The second answer counts
    as cached only where the first was: otherwise the two were not free."""
    call = replace(call, accept=partial(_is_usable, read))
    [first] = await models.complete([request], call)
    again = repair_request(request, first, read, repair)
    if again is None:
        return [first]
    [second] = await models.complete([again], replace(call, looked_up=False))
    if isinstance(second, Completion) and not (isinstance(first, Completion) and first.cached):
        second = replace(second, cached=False)
    return [first, second]


def _is_usable(read: Read, _: LLMRequest, completion: Completion) -> bool:
    return not isinstance(read(completion.text), str)


def repair_request(
    request: LLMRequest, answer: Answer, read: Read, repair: Callable[[str], str]
) -> LLMRequest | None:
    """Return the request that may bring a usable answer after this one. An answer that was cut off is asked for in fewer words,
    with another seed and some temperature; one that cannot be read is sent back with what is wrong. None where asking again does
    not help: the upstream failed, the answer loops or fills the context, or it can be used."""
    if isinstance(answer, TruncatedCompletion):
        return replace(
            request,
            messages=(*request.messages, ChatMessage("user", wording("answer_shorter"))),
            temperature=max(request.temperature or 0.0, WARMER),
            seed=None if request.seed is None else request.seed + OTHER_SEED,
        )
    if isinstance(answer, ProviderError) or not isinstance(problem := read(answer.text), str):
        return None
    # Some servers refuse an empty message.
    said = ChatMessage("assistant", answer.text[-LONGEST_SHOWN:].strip() or "(nothing)")
    return replace(request, messages=(*request.messages, said, ChatMessage("user", repair(problem))))


@cache
def wording(name: str) -> str:
    """The text of a file beside this module."""
    return files(__package__).joinpath(f"{name}.txt").read_text("utf-8").strip()
