"""Models as they are known: the parameters that they take and what they cost, and requests fitted to that."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel, field_validator

from ..domain.completion import NO_USAGE, AnswerFormat, Call, ChatMessage, Completion, LLMRequest, Usage
from ..text.toml_file import read_toml
from .capability import CHAT, OWN_PARAMETERS, UNKNOWN_MODEL, Capability
from .context import answer_room, overflow
from .failures import Answer, ContextTooLong, Rejected, UnsupportedParameter
from .provider import Provider, Together
from .providers import providers
from .repair import wording


def known_capability(protocol: str, model: str, upstream: str = "") -> Capability:
    """Return what the providers of a protocol declare of a model, `UNKNOWN_MODEL` where they declare
    nothing. The provider that `upstream` names is asked first: it knows its own models best."""
    name = model.lower()
    for provider in sorted(providers().values(), key=lambda one: one.name != upstream):
        for family in provider.families if provider.protocol == protocol else ():
            if any(fnmatchcase(name, pattern) for pattern in family.models):
                return family.takes
    return UNKNOWN_MODEL


class Stated(BaseModel):
    """Statements of the operator on models; None leaves it to what is known of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    temperature: bool | None = None
    seed: bool | None = None
    logprobs: bool | None = None
    limit: Literal["max_tokens", "max_completion_tokens"] | None = None
    format: AnswerFormat | None = None
    reasoning: bool | None = None
    prefix_tokens: int | None = Field(None, ge=0)
    context_tokens: int | None = Field(None, ge=512)
    extra: dict[str, JsonValue] | None = None

    @field_validator("extra")
    @classmethod
    def _adds_parameters(cls, extra: dict[str, JsonValue] | None) -> dict[str, JsonValue] | None:
        if taken := sorted(OWN_PARAMETERS.intersection(extra or ())):
            raise ValueError(f"{taken[0]} is set by each request; leave it out")
        return extra

    def over(self, known: Capability) -> Capability:
        """The capability with what is stated; `prefix_tokens` 0 states that the provider keeps no prefix."""
        stated = self.model_dump(exclude_none=True, exclude={"extra"})
        if self.prefix_tokens == 0:
            stated["prefix_tokens"] = None
        extra = tuple((name, json.dumps(value, sort_keys=True)) for name, value in (self.extra or {}).items())
        return replace(known, **stated, extra=tuple(sorted(extra)))


def load_stated(path: Path) -> Mapping[str, Stated]:
    """Statements on models from a TOML file with one table a judge, or a pattern of judges: `["vllm:*"]`, then `seed = false`...

    Raises ConfigurationError that names the file and what is wrong."""
    return read_toml(path, RootModel[dict[str, Stated]]).root


class Capabilities:
    """Parameters that the models of one process take: what is stated by the operator, else what is known, less what they were
    found to refuse."""

    def __init__(self, stated: Mapping[str, Stated] = MappingProxyType({})) -> None:
        self._stated = stated
        self._learnt: dict[tuple[str, str], Capability] = {}

    def of(self, upstream: str, protocol: str, model: str) -> Capability:
        learnt = self._learnt.get((upstream, model))
        if learnt is not None:
            return learnt
        known = known_capability(protocol, model, upstream)
        stated = _first_that_fits(self._stated, f"{upstream}:{model}")
        return known if stated is None else stated.over(known)

    def learn(self, upstream: str, model: str, capability: Capability) -> None:
        self._learnt[upstream, model] = capability


REASONING_ROOM = 8192
"""Thinking tokens that a reasoning model may use beside its answer."""


class Fitted(Together):
    """Wrapper before the cache, so that the key covers the request as sent. It drops unsupported parameters,
    learns from errors that name one, and falls back from schema to tool to text. Requests bring sampling
    parameters, a bound and a schema; `answer_format`, `limit_parameter` and the instruction that replaces a
    schema are decided here."""

    def __init__(self, inner: Provider, capabilities: Capabilities, protocols: Mapping[str, str]) -> None:
        super().__init__(inner)
        self._capabilities = capabilities
        self._protocols = protocols

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        sent = [fit(request, self.capability(request)) for request in requests]
        answers = await self._send(requests, sent, call)
        mendable = UnsupportedParameter | Rejected | ContextTooLong
        wrong = [i for i, answer in enumerate(answers) if isinstance(answer, mendable)]
        mended = await asyncio.gather(*(self._mend(requests[i], sent[i], answers[i], call) for i in wrong))
        for index, answer in zip(wrong, mended, strict=True):
            answers[index] = answer
        return answers

    async def _send(
        self, requests: Sequence[LLMRequest], sent: Sequence[LLMRequest], call: Call
    ) -> list[Answer]:
        """Send what may fit its model's context."""
        refused = [
            overflow(one, self.capability(request).context_tokens)
            for request, one in zip(requests, sent, strict=True)
        ]
        fitting = [one for one, failure in zip(sent, refused, strict=True) if failure is None]
        answers = iter(await self._inner.complete(fitting, call) if fitting else ())
        return [failure or next(answers) for failure in refused]

    def capability(self, request: LLMRequest) -> Capability:
        protocol = self._protocols.get(request.upstream, CHAT)
        return self._capabilities.of(request.upstream, protocol, request.model)

    async def _mend(self, request: LLMRequest, sent: LLMRequest, answer: Answer, call: Call) -> Answer:
        while isinstance(answer, UnsupportedParameter):
            less = self.capability(request).without(answer.parameter)
            self._capabilities.learn(request.upstream, request.model, less)
            fitted = fit(request, self.capability(request))
            if fitted == sent:
                return answer
            sent = fitted
            answer = await self._inner.ask(sent, call)
        if isinstance(answer, ContextTooLong) and answer.context is not None:
            known = replace(self.capability(request), context_tokens=answer.context)
            self._capabilities.learn(request.upstream, request.model, known)
            shorter = fit(request, known)
            # Many servers refuse a prompt unread where the bound of its answer is over what the context leaves.
            if answer.usage == NO_USAGE and shorter != sent and overflow(shorter, answer.context) is None:
                return await self._inner.ask(shorter, call)
        return await self._simplify(request, sent, answer, call) if isinstance(answer, Rejected) else answer

    async def _simplify(self, request: LLMRequest, sent: LLMRequest, answer: Answer, call: Call) -> Answer:
        """Try simpler formats, finally without sampling parameters, on a model that rejects a request without
        a reason. Only what works is remembered: the reason may lie elsewhere."""
        known = self.capability(request)
        formats = list(AnswerFormat)  # the simplest last
        simpler = formats[formats.index(sent.answer_format) + 1 :]
        ways = [replace(known, format=one) for one in simpler]
        guessed = replace(known, format=UNKNOWN_MODEL.format) == UNKNOWN_MODEL
        if guessed and (sent.temperature is not None or sent.seed is not None):
            ways += [replace(way, temperature=False, seed=False) for way in (known, *ways[-1:])]
        for capability in ways:
            again = await self._inner.ask(fit(request, capability), call)
            if isinstance(again, Completion):
                self._capabilities.learn(request.upstream, request.model, capability)
            if not isinstance(again, Rejected | UnsupportedParameter):
                return again
        return answer


def _thinking_room(capability: Capability) -> int:
    """Return the tokens that a model may think, beside its answer: at least the budget that the operator states, as Anthropic
    requires."""
    stated = json.loads(dict(capability.extra).get("thinking", "null"))
    budget = stated.get("budget_tokens") if isinstance(stated, dict) else None
    return max(REASONING_ROOM if capability.reasoning else 0, budget if isinstance(budget, int) else 0)


def fit(request: LLMRequest, capability: Capability) -> LLMRequest:
    """The request as a model of this capability takes it."""
    room = _thinking_room(capability)
    messages = request.messages
    if capability.prefix_tokens is None:
        messages = tuple(replace(message, prefix_ends=False) for message in messages)
    if request.schema is not None and capability.format is AnswerFormat.TEXT:
        form = wording("answer_as_text").replace("{{schema}}", request.schema)
        messages = (*messages, ChatMessage("user", form))
    bound = None if request.max_tokens is None or not capability.limit else request.max_tokens + room
    return replace(
        request,
        messages=messages,
        extra=capability.extra,
        temperature=request.temperature if capability.temperature else None,
        seed=request.seed if capability.seed else None,
        logprobs=request.logprobs if capability.logprobs else None,
        max_tokens=answer_room(replace(request, messages=messages), bound, capability.context_tokens),
        limit_parameter=capability.limit or "max_tokens",
        answer_format=capability.format if request.schema is not None else AnswerFormat.TEXT,
    )


MILLION = 1_000_000


class Price(BaseModel):
    """Prices of one model per million tokens, in the operator's currency. Cached input costs what
    other input does by default."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(None, ge=0)

    def of(self, usage: Usage) -> float:
        """The cost of `usage`, whose `input_tokens` include the cached ones."""
        cached = min(usage.cached_input_tokens, usage.input_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        fresh = (usage.input_tokens - cached) * self.input
        return (fresh + cached * cached_price + usage.output_tokens * self.output) / MILLION


class Prices:
    """Prices by judge (`openai:gpt-x`), or by a pattern of judges (`vllm:*`); the first that fits holds."""

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = dict(prices)

    def of(self, judge: str) -> Price | None:
        return _first_that_fits(self._prices, judge)


Row = TypeVar("Row", bound=BaseModel)


def _first_that_fits(rows: Mapping[str, Row], judge: str) -> Row | None:
    """The row of a judge, else the first whose pattern fits it."""
    return rows.get(judge) or next((row for name, row in rows.items() if fnmatchcase(judge, name)), None)


def load_prices(path: Path) -> Prices:
    """Prices from a TOML file with one table a judge: `["openai:gpt-x"]`, then `input = 0.25`...

    Raises ConfigurationError that names the file and what is wrong."""
    return Prices(read_toml(path, RootModel[dict[str, Price]]).root)


class Priced(Together):
    """Puts the cost on what each answer used, failed ones too. Outside the cache: a hit uses
    nothing, and a changed price needs no fresh answers."""

    def __init__(self, inner: Provider, prices: Prices) -> None:
        super().__init__(inner)
        self._prices = prices

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        answers = await self._inner.complete(requests, call)
        return [self._priced(request, answer) for request, answer in zip(requests, answers, strict=True)]

    def _priced(self, request: LLMRequest, answer: Answer) -> Answer:
        price = self._prices.of(f"{request.upstream}:{request.model}")
        if price is None:
            return answer
        usage = replace(answer.usage, cost=price.of(answer.usage))
        if isinstance(answer, Completion):
            return replace(answer, usage=usage, lost=replace(answer.lost, cost=price.of(answer.lost)))
        return replace(answer, usage=usage)
