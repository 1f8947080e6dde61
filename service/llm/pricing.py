"""Prices of tokens: a file of prices per model, and the wrapper that puts a cost on every answer."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..domain.completion import Call, Completion, LLMRequest, Usage
from ..errors import ConfigurationError
from .failures import Answer
from .provider import Provider

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
