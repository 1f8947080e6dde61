"""The adapter for Anthropic's Messages."""

import json
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ...domain.completion import AnswerFormat, ChatMessage, Completion, LLMRequest, Usage
from ..capability import Capability
from ..context import cut_off
from ..declaration import ModelFamily, ProviderDeclaration
from ..error_translation import ErrorResponse, translate
from ..failures import Answer, BatchFailed, ContextTooLong, ProviderError, Refused, UnreadableCompletion
from ..provider import SentBatch
from ..sdk_adapter import TOOL_NAME, AnswerBody, SDKAdapter, count_of

if TYPE_CHECKING:
    import anthropic

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


class AnthropicAdapter(SDKAdapter):
    """Messages, and their batch API."""

    def __init__(self, base_url: str, api_key: str | None, connections: int = 100) -> None:
        import anthropic

        # The SDK's own spans would carry what ours must not, under settings that are not ours.
        super().__init__(
            anthropic, anthropic.AsyncAnthropic, base_url, api_key, connections, open_telemetry=False
        )

    async def submit(self, _token: str, requests: Mapping[str, LLMRequest]) -> str:
        entries: Any = [
            {"custom_id": key, "params": {"model": request.model, **_body(request)}}
            for key, request in requests.items()
        ]
        with self._batch_errors():
            # The SDK tries nothing again here: a batch that arrived twice would be paid for twice.
            return str((await self._client.messages.batches.create(requests=entries)).id)

    async def find(self, batch: SentBatch, taken: Collection[str | None]) -> str | None:
        """A batch has no field for a token: one of the same size that was made since is taken for it."""
        with self._batch_errors():
            async for one in self._patient().messages.batches.list(limit=100):
                if one.created_at.timestamp() < batch.earliest:
                    break
                counts = one.request_counts
                size = (
                    counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                )
                if one.id not in taken and size == len(batch.keys):
                    return str(one.id)
        return None

    async def collect(self, batch_id: str, requests: Mapping[str, LLMRequest]) -> Mapping[str, Answer] | None:
        answers: dict[str, Answer] = {}
        with self._batch_errors():
            batches = self._patient().messages.batches
            batch = await batches.retrieve(batch_id)
            if batch.processing_status != "ended":
                return None
            if batch.results_url:
                async for line in await batches.results(batch_id):
                    if line.custom_id in requests:
                        answers[line.custom_id] = _read_result(line.result, requests[line.custom_id])
        left = BatchFailed("the batch has no answer to this prompt")
        return {key: answers.get(key, left) for key in requests}

    async def _ask(self, request: LLMRequest) -> Answer:
        body = _body(request)
        # The SDK walks through every message of its own arguments; `extra_body` goes as it is.
        sending = self._client.messages.with_streaming_response.create(
            model=request.model, max_tokens=body["max_tokens"], messages=[], extra_body=body
        )
        raw = await self._body_of(sending, body)
        return _MessagesBody.read(raw, request.model, body["max_tokens"])

    def _failure(self, error: "anthropic.APIStatusError", body: dict[str, Any]) -> ProviderError:
        words = error.api_message or (error.body if isinstance(error.body, str) else "")
        return translate(ErrorResponse(error.status_code, words, error.response.headers, _sent(body)))


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


def _blocks(messages: Iterable[ChatMessage]) -> list[dict[str, Any]]:
    kept = {"cache_control": {"type": "ephemeral"}}
    return [
        {"type": "text", "text": message.content} | (kept if message.prefix_ends else {})
        for message in messages
    ]


def _format(schema: Any, answer_format: AnswerFormat) -> dict[str, Any]:
    match answer_format:
        case AnswerFormat.SCHEMA:
            return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
        case AnswerFormat.TOOL:
            tool = {"name": TOOL_NAME, "description": "Give the verdict.", "input_schema": schema}
            return {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL_NAME}}
        case AnswerFormat.TEXT:
            return {}


def _sent(body: dict[str, Any]) -> Collection[str]:
    return {*body, "cache_control"} - {"messages", "system"}


def _read_result(result: "anthropic.types.messages.MessageBatchResult", request: LLMRequest) -> Answer:
    body = _body(request)
    match result.type:
        case "succeeded":
            raw = result.message.to_json().encode()
            return _MessagesBody.read(raw, request.model, body["max_tokens"])
        case "errored":
            error = result.error.error
            return translate(ErrorResponse(STATUSES.get(error.type, 500), error.message, {}, _sent(body)))
    return BatchFailed(f"the batch entry is {result.type}")


class _Block(BaseModel):
    type: str
    text: str | None = None
    input: dict[str, Any] | None = None


class _MessagesBody(AnswerBody):
    type: str
    content: list[_Block]
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        said = "".join(block.text or "" for block in self.content if block.type == "text")
        calls = [
            json.dumps(block.input)
            for block in self.content
            if block.type == "tool_use" and block.input is not None
        ]
        return "\n".join(filter(None, [said, *calls]))

    def answer(self, model: str, bound: int | None) -> Answer:
        usage = _usage(self.usage)
        match self.stop_reason:
            case "refusal":
                return Refused("the model declined to answer", usage=usage)
            case "max_tokens":
                return cut_off(self.text, usage, bound)
            case "model_context_window_exceeded":
                return ContextTooLong("prompt and answer do not fit the model's context", usage=usage)
        if not self.text.strip():
            return UnreadableCompletion("the answer is empty", usage=usage)
        return Completion(self.text, model, usage, self.stop_reason or "end_turn")


def _usage(usage: Any) -> Usage:
    """Anthropic's own input tokens leave out what the cache served and what was written to it."""
    read = count_of(usage, "cache_read_input_tokens")
    whole = count_of(usage, "input_tokens") + count_of(usage, "cache_creation_input_tokens") + read
    return Usage(whole, count_of(usage, "output_tokens"), read)


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
    tokens="50 tokens beside the prompt cache, 150 written to it, 1,000 read from it: 1,200 input tokens, 1,000 of them cached.",
)
