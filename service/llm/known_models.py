"""Models as they are known: the parameters that they take and what they cost, and requests fitted to that."""

import asyncio
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..domain.completion import AnswerFormat, Call, ChatMessage, Completion, LLMRequest, Usage
from ..errors import ConfigurationError
from .capability import CHAT, UNKNOWN_MODEL, Capability
from .failures import Answer, Rejected, UnsupportedParameter
from .provider import Provider
from .providers import providers


def known_capability(protocol: str, model: str, upstream: str = "") -> Capability:
    """Return what the providers of a protocol declare of a model, `UNKNOWN_MODEL` where they declare
    nothing. The provider that `upstream` names is asked first: it knows its own models best."""
    name = model.lower()
    for provider in sorted(providers().values(), key=lambda one: one.name != upstream):
        for family in provider.families if provider.protocol == protocol else ():
            if any(fnmatchcase(name, pattern) for pattern in family.models):
                return family.takes
    return UNKNOWN_MODEL


class Capabilities:
    """Parameters that the models of one process take: what is known, less what they were found to refuse."""

    def __init__(self) -> None:
        self._learnt: dict[tuple[str, str], Capability] = {}

    def of(self, upstream: str, protocol: str, model: str) -> Capability:
        """Return what to send to a model of an upstream."""
        return self._learnt.get((upstream, model)) or known_capability(protocol, model, upstream)

    def learn(self, upstream: str, model: str, capability: Capability) -> None:
        """Remember what a model was found to take."""
        self._learnt[upstream, model] = capability

    def refused(self, upstream: str, protocol: str, model: str, parameter: str) -> bool:
        """Remember that a model refuses a parameter; whether that leaves another way to ask."""
        before = self.of(upstream, protocol, model)
        after = before.without(parameter)
        self.learn(upstream, model, after)
        return after != before


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
        """Return what is known that the request's model takes."""
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


MILLION = 1_000_000


class Price(BaseModel):
    """Prices of one model per million tokens, in the operator's currency. Cached input costs what
    other input does unless said."""

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
        """The price of a judge, None where none is configured."""
        if judge in self._prices:
            return self._prices[judge]
        return next((price for name, price in self._prices.items() if fnmatchcase(judge, name)), None)


def load_prices(path: Path) -> Prices:
    """Prices from a TOML file with one table a judge: `["openai:gpt-x"]`, then `input = 0.25`...

    Raises ConfigurationError that names the file and what is wrong."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        return Prices({name: Price.model_validate(table) for name, table in tables.items()})
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


class Priced:
    """Puts the cost on what each answer used, failed ones too. Outside the cache: a hit uses
    nothing, and a changed price needs no fresh answers."""

    def __init__(self, inner: Provider, prices: Prices) -> None:
        self._inner, self._prices = inner, prices

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        answers = await self._inner.complete(requests, call)
        return [self._priced(request, answer) for request, answer in zip(requests, answers, strict=True)]

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _priced(self, request: LLMRequest, answer: Answer) -> Answer:
        price = self._prices.of(f"{request.upstream}:{request.model}")
        if price is None:
            return answer
        usage = replace(answer.usage, cost=price.of(answer.usage))
        if isinstance(answer, Completion):
            return replace(answer, usage=usage, lost=replace(answer.lost, cost=price.of(answer.lost)))
        return replace(answer, usage=usage)
