"""The parts that the adapters of both SDKs share: openai and anthropic come from one generator, and name their errors and options alike."""

import contextlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..domain.completion import Call, LLMRequest
from .error_translation import stated_failure
from .failures import Answer, ProviderError, UnreadableCompletion
from .provider import (
    LONGEST_ANSWER,
    LONGEST_WITH_ODDS,
    BatchError,
    each,
    in_time,
    limits,
    not_connected,
    read_body,
    timeouts,
)

TOOL_NAME = "verdict"
"""The name of the schema, or of the tool, that the model answers with."""
NO_KEY = "none"
"""Sent to servers that want no key: the SDKs insist on one."""
BATCH_ATTEMPTS = 8
BATCH_SECONDS = 600.0
"""For one look at a batch, which runs for up to 24 hours: a short trouble of the network must not end the wait."""


class SDKAdapter(ABC):
    """One client for one upstream. `sdk` is the imported package and `client` its class; `api_key` is None for servers that want
    none."""

    def __init__(
        self, sdk: Any, client: Any, base_url: str, api_key: str | None, connections: int, **options: Any
    ) -> None:
        self._sdk = sdk
        http = sdk.DefaultAioHttpClient(
            limits=limits(connections), timeout=timeouts(), follow_redirects=False
        )
        self._client = client(
            base_url=base_url,
            api_key=api_key or NO_KEY,
            max_retries=0,
            timeout=timeouts(),
            http_client=http,
            **options,
        )

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return await each(requests, lambda request: in_time(lambda: self._ask(request), call))

    async def aclose(self) -> None:
        await self._client.close()

    @abstractmethod
    async def _ask(self, request: LLMRequest) -> Answer:
        """Send a request and read its answer."""

    @abstractmethod
    def _failure(self, error: Any, body: dict[str, Any]) -> ProviderError:
        """Translate the SDK's error about an HTTP status."""

    def _patient(self) -> Any:
        """Return a client that tries again by itself, for reading batches."""
        return self._client.with_options(max_retries=BATCH_ATTEMPTS, timeout=BATCH_SECONDS)

    async def _body_of(
        self, sending: AbstractAsyncContextManager[Any], body: dict[str, Any]
    ) -> bytes | ProviderError:
        """Return the body of the answer to a request that is about to be sent."""
        longest = LONGEST_WITH_ODDS if "logprobs" in body else LONGEST_ANSWER
        try:
            async with sending as response:
                return await read_body(response.http_response, longest)
        except self._sdk.APIStatusError as error:
            return self._failure(error, body)
        except self._sdk.APIConnectionError as error:
            return not_connected(error)

    @contextlib.contextmanager
    def _batch_errors(self) -> Iterator[None]:
        """Turn the SDK's errors into `BatchError`."""
        try:
            yield
        except self._sdk.APIStatusError as error:
            raise BatchError(self._failure(error, {}).detail) from error
        except self._sdk.APIConnectionError as error:
            raise BatchError(not_connected(error).detail) from error
        except json.JSONDecodeError as error:
            raise BatchError("the file of the batch's results is damaged or incomplete") from error


class AnswerBody(BaseModel, ABC):
    """A body with status 200, which may be anything at all."""

    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True)

    model: str | None = None
    usage: Any = None

    @classmethod
    def read(cls, raw: bytes | ProviderError, asked: str, bound: int | None) -> Answer:
        """Return the answer that a body holds. `asked` is the model's name in the request, `bound` the most tokens of an answer."""
        if isinstance(raw, ProviderError):
            return raw
        try:
            body = cls.model_validate_json(raw)
        except ValidationError as error:
            with contextlib.suppress(ValidationError):
                return stated_failure(_ErrorBody.model_validate_json(raw).error)
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(str(step) for step in first["loc"]) or "body"
            return UnreadableCompletion(f"status 200 without an answer: {where}: {first['msg']}")
        model = body.model or asked
        answer = body.answer(model, bound)
        return replace(answer, model=model) if isinstance(answer, ProviderError) else answer

    @abstractmethod
    def answer(self, model: str, bound: int | None) -> Answer:
        """Return the answer; `model` is the name that the provider reported, else the one asked for."""


class _ErrorBody(BaseModel):
    """A body with status 200 that holds an error instead of an answer."""

    error: dict[str, Any] | str


def count_of(usage: Any, name: str) -> int:
    """Return a number of tokens as a server counts them; 0 where it leaves it out or writes something else."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value > 0 else 0
