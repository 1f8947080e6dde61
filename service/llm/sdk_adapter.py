"""The parts that the adapters of both SDKs share: openai and anthropic come from one generator, and name their errors and options alike.

Adapters ride on the SDK's httpx2 client over aiohttp, which costs half the CPU of httpx2's own
transport. What it raises is mostly httpx2's, but not all of it, and not always the right one. Both are
imported by the functions that need them: listing providers must not load them."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..domain.completion import Call, LLMRequest
from .context import unread_prompt
from .error_translation import stated_failure
from .failures import Answer, ProviderError, TimedOut, Unavailable, UnreadableCompletion
from .provider import BatchError, Provider, SentBatch

if TYPE_CHECKING:
    import httpx2

TOOL_NAME = "verdict"
"""The name of the schema, or of the tool, that the model answers with."""
NO_KEY = "none"
"""Sent to servers that want no key: the SDKs insist on one."""
CONNECT_SECONDS = 5.0
"""Only connecting has its own limit: a model may think until the caller's deadline."""
LONGEST_ANSWER = 1 << 20
"""Most bytes of a judge's answer; the longest verdict is a hundredth of this."""
LONGEST_WITH_ODDS = 16 << 20
"""Bytes of an answer with the probabilities of its tokens: up to 6 kB a token."""
MOST_TOKENS = 1_000_000_000
"""A larger count of tokens is a server's mistake: clients would not read it."""
BATCH_ATTEMPTS = 8
BATCH_SECONDS = 600.0
"""For one look at a batch, which runs for up to 24 hours: a short trouble of the network must not end the wait."""


class SDKAdapter(Provider, ABC):
    """One client for one upstream. `sdk` is the imported package and `client` its class; `api_key` is None for servers that want
    none."""

    def __init__(
        self, sdk: Any, client: Any, base_url: str, api_key: str | None, connections: int, **options: Any
    ) -> None:
        import httpx2

        self._sdk = sdk
        # As many sockets as there may be calls, all kept open between them.
        limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
        timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
        http = sdk.DefaultAioHttpClient(limits=limits, timeout=timeout, follow_redirects=False)
        self._client = client(
            base_url=base_url,
            api_key=api_key or NO_KEY,
            max_retries=0,
            timeout=timeout,
            http_client=http,
            **options,
        )

    async def aclose(self) -> None:
        await self._client.close()

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        """Return the answer, if it comes before the deadline and the wire holds."""
        import aiohttp
        import httpx2

        try:
            async with asyncio.timeout_at(call.deadline):
                return unread_prompt(request, await self._ask(request))
        except TimeoutError:
            return TimedOut("no answer came in time")
        except httpx2.DecodingError as error:
            return UnreadableCompletion(f"the body cannot be read: {error}")
        except (httpx2.TransportError, aiohttp.ClientError, OSError) as error:
            return _not_connected(error)

    @abstractmethod
    async def _ask(self, request: LLMRequest) -> Answer:
        """Send a request and read its answer."""

    @abstractmethod
    def _failure(self, error: Any, body: dict[str, Any]) -> ProviderError:
        """Translate the SDK's error about an HTTP status."""

    @abstractmethod
    async def submit(self, token: str, requests: Mapping[str, LLMRequest], /) -> str:
        """Send requests to one model under their ids as a batch; return the provider's id of it. Raises BatchError, as do the others."""

    @abstractmethod
    async def find(self, batch: SentBatch, taken: Collection[str | None], /) -> str | None:
        """Return the id of a batch of which only `token`, size and time are known, if it arrived; `taken`
        are the ids of others."""

    @abstractmethod
    async def collect(self, batch_id: str, requests: Mapping[str, LLMRequest]) -> Mapping[str, Answer] | None:
        """Return an answer to each request of a batch that has ended, None while it runs."""

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
                return await _read_body(response.http_response, longest)
        except self._sdk.APIStatusError as error:
            return self._failure(error, body)
        except self._sdk.APIConnectionError as error:
            return _not_connected(error)

    @contextlib.contextmanager
    def _batch_errors(self) -> Iterator[None]:
        try:
            yield
        except self._sdk.APIStatusError as error:
            raise BatchError(self._failure(error, {}).detail) from error
        except self._sdk.APIConnectionError as error:
            raise BatchError(_not_connected(error).detail) from error
        except ValueError as error:  # no JSON, or not that of a line
            raise BatchError("the file of the batch's results is damaged or incomplete") from error


async def _read_body(response: "httpx2.Response", longest: int) -> bytes:
    """The whole body. Raises `httpx2.DecodingError` when it has more than `longest` bytes."""
    import httpx2

    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > longest:
            raise httpx2.DecodingError(f"the body is longer than {longest} bytes")
    return bytes(body)


def _not_connected(error: BaseException) -> ProviderError:
    """Translate a connection error. The SDKs report a server that hung up as slow, so the underlying error
    decides."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, TimeoutError):
        return TimedOut("the upstream could not be connected to in time")
    return Unavailable(f"the connection broke: {type(error).__name__}")


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
    return value if type(value) is int and 0 < value <= MOST_TOKENS else 0
