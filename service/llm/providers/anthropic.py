"""The adapter for Anthropic's Messages."""

import contextlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ...domain.completion import AnswerFormat, Call, ChatMessage, Completion, LLMRequest, Usage
from ..capability import Capability
from ..cut_answers import cut_off
from ..declaration import Example, ModelFamily, ProviderDeclaration
from ..error_translation import ErrorResponse, translate
from ..failures import (
    Answer,
    BatchFailed,
    ContextTooLong,
    ProviderError,
    Refused,
    UnreadableCompletion,
)
from ..provider import (
    BATCH_ATTEMPTS,
    BATCH_SECONDS,
    BatchError,
    SentBatch,
    each,
    in_time,
    limits,
    not_connected,
    read_body,
    timeouts,
)

if TYPE_CHECKING:
    import anthropic

NAME = "verdict"
NO_KEY = "none"
"""Sent to servers that want no key: the SDK insists on one."""
DEFAULT_MAX_TOKENS = 4096
"""The API insists on a bound."""
STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "rate_limit_error": 429,
}
"""The status of an error that a batch reports by its type alone; others are the provider's."""


class AnthropicAdapter:
    """One client for one upstream. `api_key` None for servers that want none."""

    def __init__(self, base_url: str, api_key: str | None, connections: int = 100) -> None:
        import anthropic

        http = anthropic.DefaultAioHttpClient(
            limits=limits(connections), timeout=timeouts(), follow_redirects=False
        )
        # The SDK's own spans would carry what ours must not, under settings that are not ours.
        self._client = anthropic.AsyncAnthropic(
            base_url=base_url,
            api_key=api_key or NO_KEY,
            max_retries=0,
            timeout=timeouts(),
            http_client=http,
            open_telemetry=False,
        )

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return await each(requests, lambda request: in_time(lambda: self._ask(request), call))

    async def aclose(self) -> None:
        await self._client.close()

    async def submit(self, _token: str, requests: Mapping[str, LLMRequest]) -> str:
        entries: Any = [
            {"custom_id": key, "params": {"model": request.model, **_body(request)}}
            for key, request in requests.items()
        ]
        with _batch_errors():
            # The SDK tries nothing again here: a batch that arrived twice would be paid for twice.
            return (await self._client.messages.batches.create(requests=entries)).id

    async def find(self, batch: SentBatch, taken: Collection[str | None]) -> str | None:
        """A batch has no field for a token: one of the same size that was made since is taken for it."""
        with _batch_errors():
            async for one in self._patient().messages.batches.list(limit=100):
                if one.created_at.timestamp() < batch.earliest:
                    break
                counts = one.request_counts
                size = (
                    counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                )
                if one.id not in taken and size == len(batch.keys):
                    return one.id
        return None

    async def collect(self, batch_id: str, requests: Mapping[str, LLMRequest]) -> Mapping[str, Answer] | None:
        answers: dict[str, Answer] = {}
        with _batch_errors():
            batches = self._patient().messages.batches
            batch = await batches.retrieve(batch_id)
            if batch.processing_status != "ended":
                return None
            if batch.results_url:
                async for line in await batches.results(batch_id):
                    if line.custom_id in requests:
                        answers[line.custom_id] = _read_result(line.result, requests[line.custom_id])
        left = BatchFailed("the batch holds no answer to this prompt")
        return {key: answers.get(key, left) for key in requests}

    def _patient(self) -> "anthropic.AsyncAnthropic":
        return self._client.with_options(max_retries=BATCH_ATTEMPTS, timeout=BATCH_SECONDS)

    async def _ask(self, request: LLMRequest) -> Answer:
        import anthropic

        body = _body(request)
        try:
            stream = self._client.messages.with_streaming_response
            # The SDK walks through every message of its own arguments; `extra_body` goes as it is.
            async with stream.create(
                model=request.model, max_tokens=body["max_tokens"], messages=[], extra_body=body
            ) as response:
                raw = await read_body(response.http_response)
        except anthropic.APIStatusError as error:
            return _failure(error, body)
        except anthropic.APIConnectionError as error:
            return not_connected(error)
        return _read(raw, request.model, body["max_tokens"])


def _body(request: LLMRequest) -> dict[str, Any]:
    """Every parameter but the model, by its name on the wire. There is no seed; a temperature is
    no argument of the SDK any more, though some models take it."""
    body: dict[str, Any] = {"max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS}
    system = [message for message in request.messages if message.role == "system"]
    if system:
        body["system"] = _blocks(system)
    talk = [message for message in request.messages if message.role != "system"]
    groups = groupby(talk, key=lambda message: message.role)
    body["messages"] = [{"role": role, "content": _blocks(group)} for role, group in groups]
    body |= {name: json.loads(value) for name, value in request.extra}
    if request.schema is not None:
        body |= _format(json.loads(request.schema), request.answer_format)
    if request.temperature is not None:
        body["temperature"] = request.temperature
    return body


def _blocks(messages: Any) -> list[dict[str, Any]]:
    return [_block(message) for message in messages]


def _block(message: ChatMessage) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": message.content}
    return block | ({"cache_control": {"type": "ephemeral"}} if message.prefix_ends else {})


def _format(schema: Any, answer_format: AnswerFormat) -> dict[str, Any]:
    match answer_format:
        case AnswerFormat.SCHEMA:
            return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
        case AnswerFormat.TOOL:
            tool = {"name": NAME, "description": "Give the verdict.", "input_schema": schema}
            return {"tools": [tool], "tool_choice": {"type": "tool", "name": NAME}}
        case AnswerFormat.TEXT:
            return {}


def _failure(error: "anthropic.APIStatusError", body: dict[str, Any]) -> ProviderError:
    sent = {*body, "cache_control"} - {"messages", "system"}
    words = error.api_message or (error.body if isinstance(error.body, str) else "")
    return translate(ErrorResponse(error.status_code, words, error.response.headers, sent))


@contextlib.contextmanager
def _batch_errors() -> Iterator[None]:
    """Turn the SDK's errors into `BatchError`."""
    import anthropic

    try:
        yield
    except anthropic.APIStatusError as error:
        raise BatchError(_failure(error, {}).detail) from error
    except anthropic.APIConnectionError as error:
        raise BatchError(not_connected(error).detail) from error


def _read_result(result: "anthropic.types.messages.MessageBatchResult", request: LLMRequest) -> Answer:
    body = _body(request)
    match result.type:
        case "succeeded":
            return _read(result.message.to_json().encode(), request.model, body["max_tokens"])
        case "errored":
            error = result.error.error
            sent = {*body, "cache_control"} - {"messages", "system"}
            return translate(ErrorResponse(STATUSES.get(error.type, 500), error.message, {}, sent))
    return BatchFailed(f"the batch entry is {result.type}")


class _Block(BaseModel):
    type: str
    text: str | None = None
    input: dict[str, Any] | None = None


class _Message(BaseModel):
    model_config = ConfigDict(strict=True)

    type: str
    content: list[_Block]
    stop_reason: str | None = None
    model: str | None = None
    usage: Any = None

    @property
    def text(self) -> str:
        tools = [
            block.input for block in self.content if block.type == "tool_use" and block.input is not None
        ]
        if tools:
            return json.dumps(tools[-1])
        return "".join(block.text or "" for block in self.content if block.type == "text")


def _read(raw: bytes, asked: str, bound: int) -> Answer:
    """The answer in a body with status 200, which may be anything at all."""
    try:
        message = _Message.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "body"
        return UnreadableCompletion(f"status 200 without an answer: {where}: {first['msg']}")
    read = _read_message(message, _usage(message.usage), message.model or asked, bound)
    return replace(read, model=message.model or asked) if isinstance(read, ProviderError) else read


def _read_message(message: _Message, usage: Usage, model: str, bound: int) -> Answer:
    match message.stop_reason:
        case "refusal":
            return Refused("the model declined to answer", usage=usage)
        case "max_tokens":
            return cut_off(message.text, usage, bound)
        case "model_context_window_exceeded":
            return ContextTooLong("prompt and answer do not fit the model's context", usage=usage)
    if not message.text.strip():
        return UnreadableCompletion("the answer is empty", usage=usage)
    return Completion(message.text, model, usage, message.stop_reason or "end_turn")


def _usage(usage: Any) -> Usage:
    """Anthropic's own input tokens leave out what the cache served and what was written to it."""
    counts = usage if isinstance(usage, dict) else {}

    def count(name: str) -> int:
        value = counts.get(name)
        return value if isinstance(value, int) and value > 0 else 0

    read = count("cache_read_input_tokens")
    whole = count("input_tokens") + count("cache_creation_input_tokens") + read
    return Usage(whole, count("output_tokens"), read)


PROVIDER = ProviderDeclaration(
    name="anthropic",
    place=20,
    title="Anthropic",
    base_url="https://api.anthropic.com",
    key="ANTHROPIC_API_KEY",
    sdk="anthropic",
    protocol="messages",
    families=(
        ModelFamily(
            ("claude-3*",),
            Capability(temperature=True, limit="max_tokens", format=AnswerFormat.TOOL, prefix_tokens=2048),
        ),
        ModelFamily(
            ("claude-sonnet-4-5*",),
            Capability(temperature=True, limit="max_tokens", prefix_tokens=1024),
        ),
        ModelFamily(
            ("claude-sonnet-4-6*",),
            Capability(temperature=True, limit="max_tokens", prefix_tokens=2048),
        ),
        ModelFamily(
            ("claude-haiku-4-5*", "claude-opus-4-5*", "claude-opus-4-6*"),
            Capability(temperature=True, limit="max_tokens", prefix_tokens=4096),
        ),
        ModelFamily(("*claude*",), Capability(limit="max_tokens", reasoning=True, prefix_tokens=4096)),
        ModelFamily(
            ("*",), Capability(temperature=True, limit="max_tokens", reasoning=True, prefix_tokens=4096)
        ),
    ),
    adapter=AnthropicAdapter,
    example=Example(
        model="claude-haiku-4-5",
        question="How natural are the replies?",
        schema={"type": "object"},
        path="/v1/messages",
        sent={
            "model": "claude-haiku-4-5",
            "max_tokens": 400,
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "How natural are the replies?"}]}
            ],
            "temperature": 0.0,
            "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
        },
        received={
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-4-5-20251001",
            "content": [{"type": "text", "text": '{"score": 3}'}],
            "stop_reason": "end_turn",
            "usage": {
                "input_tokens": 50,
                "cache_creation_input_tokens": 150,
                "cache_read_input_tokens": 1000,
                "output_tokens": 30,
            },
        },
        text='{"score": 3}',
        usage=Usage(input_tokens=1200, output_tokens=30, cached_input_tokens=1000),
        worked="50 tokens beside the prompt cache, 150 written to it, 1,000 read from it: 1,200 input tokens, 1,000 of them cached.",
    ),
)
