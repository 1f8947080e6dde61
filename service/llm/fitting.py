"""Requests cut to what their model takes: a caller asks for what it wants, the model gets what it knows."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from ..domain.completion import AnswerFormat, Call, ChatMessage, Completion, LLMRequest
from .capability import CHAT, Capability
from .failures import Answer, Rejected, UnsupportedParameter
from .known_models import Capabilities
from .provider import Provider

REASONING_ROOM = 8192
"""Tokens that a model which thinks first may think, over and above its answer."""

_SIMPLER = {
    AnswerFormat.SCHEMA: (AnswerFormat.TOOL, AnswerFormat.TEXT),
    AnswerFormat.TOOL: (AnswerFormat.TEXT,),
    AnswerFormat.TEXT: (),
}


class Fitted:
    """Stands before the cache, so that the key is of what is really sent. Drops what a model does
    not take, learns from errors that name a parameter, and falls back from schema to tool to text.
    Requests bring sampling parameters, a bound and a schema; `answer_format`, `limit_parameter`
    and the instruction that replaces a schema are decided here."""

    def __init__(self, inner: Provider, capabilities: Capabilities, protocols: Mapping[str, str]) -> None:
        self._inner = inner
        self._capabilities = capabilities
        self._protocols = protocols

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        sent = [fit(request, self.capability(request)) for request in requests]
        answers = await self._inner.complete(sent, call)
        wrong = [index for index, answer in enumerate(answers) if _may_be_mended(answer, sent[index])]
        if wrong:
            mended = await asyncio.gather(
                *(self._mend(requests[i], sent[i], answers[i], call) for i in wrong)
            )
            for index, answer in zip(wrong, mended, strict=True):
                answers[index] = answer
        return answers

    async def aclose(self) -> None:
        await self._inner.aclose()

    def capability(self, request: LLMRequest) -> Capability:
        """Return what the request's model takes, as far as is known."""
        protocol = self._protocols.get(request.upstream, CHAT)
        return self._capabilities.of(request.upstream, protocol, request.model)

    async def _mend(self, request: LLMRequest, sent: LLMRequest, answer: Answer, call: Call) -> Answer:
        protocol = self._protocols.get(request.upstream, CHAT)
        while isinstance(answer, UnsupportedParameter):
            self._capabilities.refused(request.upstream, protocol, request.model, answer.parameter)
            fitted = fit(request, self.capability(request))
            if fitted == sent:
                return answer
            sent = fitted
            [answer] = await self._inner.complete([sent], call)
        if isinstance(answer, Rejected) and request.schema is not None:
            return await self._simplify(request, sent, answer, call)
        return answer

    async def _simplify(self, request: LLMRequest, sent: LLMRequest, answer: Answer, call: Call) -> Answer:
        """Try simpler formats on a model that rejects a request for no reason that it names. Only
        one that works is remembered: the reason may lie elsewhere."""
        known = self.capability(request)
        for simpler in _SIMPLER[sent.answer_format]:
            capability = replace(known, format=simpler)
            [again] = await self._inner.complete([fit(request, capability)], call)
            if isinstance(again, Completion):
                self._capabilities.learn(request.upstream, request.model, capability)
            if not isinstance(again, Rejected | UnsupportedParameter):
                return again
        return answer


def _may_be_mended(answer: Answer, sent: LLMRequest) -> bool:
    return isinstance(answer, UnsupportedParameter) or (
        isinstance(answer, Rejected) and sent.schema is not None and bool(_SIMPLER[sent.answer_format])
    )


def fit(request: LLMRequest, capability: Capability) -> LLMRequest:
    """The request as a model of this capability takes it."""
    room = REASONING_ROOM if capability.reasoning else 0
    messages = request.messages
    if capability.prefix_tokens is None:
        messages = tuple(replace(message, prefix_ends=False) for message in messages)
    if request.schema is not None and capability.format is AnswerFormat.TEXT:
        form = _instruction().replace("{{schema}}", request.schema)
        messages = (*messages, ChatMessage("user", form))
    return replace(
        request,
        messages=messages,
        temperature=request.temperature if capability.temperature else None,
        seed=request.seed if capability.seed else None,
        logprobs=request.logprobs if capability.logprobs else None,
        max_tokens=None if request.max_tokens is None or not capability.limit else request.max_tokens + room,
        limit_parameter=capability.limit or "max_tokens",
        answer_format=capability.format if request.schema is not None else AnswerFormat.TEXT,
    )


@cache
def _instruction() -> str:
    return files(__package__).joinpath("answer_as_text.txt").read_text("utf-8").strip()
