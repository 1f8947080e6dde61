"""The adapter for OpenAI and every server that speaks its Chat Completions."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, Field

from ...domain.completion import AnswerFormat, ChatMessage, Completion, LLMRequest, Usage
from ..answer_text import read_odds
from ..capability import CHAT, LOCAL_PREFIX, Capability
from ..context import cut_off
from ..declaration import ModelFamily, ProviderDeclaration
from ..error_translation import ErrorResponse, stated_failure, translate
from ..failures import Answer, BatchFailed, ProviderError, Refused, UnreadableCompletion
from ..provider import SentBatch
from ..sdk_adapter import TOOL_NAME, AnswerBody, SDKAdapter, count_of

if TYPE_CHECKING:
    import openai

ENDPOINT: Final = "/v1/chat/completions"
LABEL = "crs_eval"
"""The field of a batch's metadata that has its token."""
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


class OpenAIAdapter(SDKAdapter):
    """Chat Completions, and the batch API of OpenAI."""

    def __init__(self, base_url: str, api_key: str | None, connections: int = 100) -> None:
        import openai

        super().__init__(openai, openai.AsyncOpenAI, base_url, api_key, connections)

    async def submit(self, token: str, requests: Mapping[str, LLMRequest]) -> str:
        lines = [
            {"custom_id": key, "method": "POST", "url": ENDPOINT, "body": _body(request)}
            for key, request in requests.items()
        ]
        content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
        with self._batch_errors():
            file = await self._client.files.create(file=(f"{token}.jsonl", content), purpose="batch")
            # The SDK tries nothing again here: a batch that arrived twice would be paid for twice.
            made = await self._client.batches.create(
                input_file_id=file.id, endpoint=ENDPOINT, completion_window="24h", metadata={LABEL: token}
            )
        return str(made.id)

    async def find(self, batch: SentBatch, _taken: Collection[str | None]) -> str | None:
        with self._batch_errors():
            async for one in self._patient().batches.list(limit=100):
                if (one.metadata or {}).get(LABEL) == batch.token:
                    return str(one.id)
                if one.created_at < batch.earliest:
                    break
        return None

    async def collect(self, batch_id: str, requests: Mapping[str, LLMRequest]) -> Mapping[str, Answer] | None:
        answers: dict[str, Answer] = {}
        with self._batch_errors():
            batch = await self._patient().batches.retrieve(batch_id)
            if batch.status not in ENDED:
                return None
            for name in filter(None, (batch.output_file_id, batch.error_file_id)):
                file = await self._patient().files.content(name)
                lines = map(_BatchLine.model_validate_json, filter(None, file.content.splitlines()))
                answers |= {
                    line.custom_id: _read_line(line, requests[line.custom_id])
                    for line in lines
                    if line.custom_id in requests
                }
        errors = (batch.errors.data if batch.errors else None) or ()
        reason = ": ".join([f"the batch is {batch.status}", *(str(one.message) for one in errors[:1])])
        return {key: answers.get(key) or BatchFailed(reason) for key in requests}

    async def _ask(self, request: LLMRequest) -> Answer:
        body = _body(request)
        # The SDK walks through every message of its own arguments, and hashes every name of a model that it
        # knows: a third of a call's CPU. `extra_body` goes as it is, and stands for them.
        omit = self._sdk.omit
        create = self._client.chat.completions.with_streaming_response.create
        raw = await self._body_of(create(model=omit, messages=omit, extra_body=body), body)
        return _ChatBody.read(raw, request.model, request.max_tokens)

    def _failure(self, error: "openai.APIStatusError", body: dict[str, Any]) -> ProviderError:
        words = error.body if isinstance(error.body, str) else getattr(error, "message", "")
        if isinstance(error.body, dict):
            words = str(error.body.get("message") or error.body)
        headers = error.response.headers
        return translate(
            ErrorResponse(error.status_code, words, headers, _sent(body), error.code, error.param)
        )


def _messages(messages: Sequence[ChatMessage]) -> Any:
    # Many chat templates insist that roles take turns, so neighbours of one role are joined.
    return [
        {"role": role, "content": "\n\n".join(message.content for message in group)}
        for role, group in groupby(messages, key=lambda message: message.role)
    ]


def _body(request: LLMRequest) -> dict[str, Any]:
    """The whole request, by the names on the wire."""
    body: dict[str, Any] = {"model": request.model, "messages": _messages(request.messages)}
    named = {
        "temperature": request.temperature,
        "seed": request.seed,
        request.limit_parameter: request.max_tokens,
    }
    body |= {name: value for name, value in named.items() if value is not None}
    if request.logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    body |= {name: json.loads(value) for name, value in request.extra}
    if request.schema is not None:
        body |= _format(json.loads(request.schema), request.answer_format)
    return body


def _format(schema: Any, answer_format: AnswerFormat) -> dict[str, Any]:
    match answer_format:
        case AnswerFormat.SCHEMA:
            form = {"name": TOOL_NAME, "schema": schema, "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": form}}
        case AnswerFormat.TOOL:
            tool = {"type": "function", "function": {"name": TOOL_NAME, "parameters": schema}}
            return {"tools": [tool], "tool_choice": {"type": "function", "function": {"name": TOOL_NAME}}}
        case AnswerFormat.TEXT:
            return {}


def _sent(body: dict[str, Any]) -> Collection[str]:
    return body.keys() - {"model", "messages"}


class _BatchResponse(BaseModel):
    status_code: int | None = None
    body: Any = None


class _BatchLine(BaseModel):
    custom_id: str
    response: _BatchResponse | None = None
    error: Any = None


def _read_line(line: _BatchLine, request: LLMRequest) -> Answer:
    """The answer in a line of a batch's files."""
    response = line.response or _BatchResponse()
    body, status = response.body, response.status_code
    if status == 200:
        return _ChatBody.read(json.dumps(body).encode(), request.model, request.max_tokens)
    stated = (body.get("error") if isinstance(body, dict) else body) or line.error
    error = stated if isinstance(stated, dict) else {}
    words = str(error.get("message") or stated or "no reason is given")
    if status is None:
        return BatchFailed(words)
    sent = _sent(_body(request))
    return translate(ErrorResponse(status, words, {}, sent, error.get("code"), error.get("param")))


class _Part(BaseModel):
    type: str
    text: str | None = None


class _Function(BaseModel):
    arguments: str


class _ToolCall(BaseModel):
    function: _Function


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            said = "".join(part.text or "" for part in self.content if part.type == "text")
        else:
            said = self.content or ""
        # A model may announce the call of the tool, or answer in words and call another tool: readers find the verdict.
        calls = [call.function.arguments for call in self.tool_calls or ()]
        return "\n".join(filter(None, [said, *calls]))


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None
    logprobs: Any = None
    error: Any = None


class _ChatBody(AnswerBody):
    choices: list[_Choice] = Field(min_length=1)

    def answer(self, model: str, bound: int | None) -> Answer:
        choice, usage = self.choices[0], _usage(self.usage)
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Refused("the model declined to answer", usage=usage)
        if choice.error:
            return replace(stated_failure(choice.error), usage=usage)
        text = choice.message.text
        if choice.finish_reason == "length":
            return cut_off(text, usage, bound)
        if not text.strip():
            return UnreadableCompletion("the answer is empty", usage=usage)
        odds = read_odds(choice.logprobs, text)
        return Completion(text, model, usage, choice.finish_reason or "stop", odds=odds)


def _usage(usage: Any) -> Usage:
    """Prompt tokens are the total here, cached ones included. Servers leave out what they like."""
    prompt, whole = count_of(usage, "prompt_tokens"), count_of(usage, "total_tokens")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    # Some servers count the tokens of a model's thoughts in the total alone.
    output = max(count_of(usage, "completion_tokens"), whole - prompt)
    return Usage(prompt, output, count_of(details, "cached_tokens"))


PROVIDER = ProviderDeclaration(
    name="openai",
    place=10,
    title="OpenAI",
    base_url="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
    sdk="openai",
    protocol=CHAT,
    # Of all servers that speak Chat Completions, OpenAI's own and others.
    families=(
        ModelFamily(
            ("gpt-4o-2024-05-13", "gpt-4-*", "gpt-4", "gpt-3.5-*"),
            Capability(temperature=True, seed=True, limit="max_tokens", format=AnswerFormat.TOOL),
        ),
        ModelFamily(
            ("gpt-4o*", "gpt-4.1*", "chatgpt-4o*"),
            Capability(
                temperature=True, seed=True, limit="max_completion_tokens", prefix_tokens=1024, logprobs=True
            ),
        ),
        ModelFamily(
            ("o1*", "o3*", "o4*", "gpt-5*", "gpt-6*"),
            Capability(limit="max_completion_tokens", reasoning=True, prefix_tokens=1024),
        ),
        ModelFamily(
            ("*deepseek-r*", "*deepseek-reasoner*"),
            Capability(limit="max_tokens", reasoning=True, format=AnswerFormat.TEXT),
        ),
        ModelFamily(
            ("*deepseek*",),
            Capability(temperature=True, limit="max_tokens", format=AnswerFormat.TOOL, prefix_tokens=1024),
        ),
        ModelFamily(
            ("*qwen3*", "*qwq*", "*glm-4.5*", "*glm-5*", "*gpt-oss*", "*magistral*"),
            Capability(
                temperature=True,
                seed=True,
                limit="max_tokens",
                reasoning=True,
                logprobs=True,
                prefix_tokens=LOCAL_PREFIX,
            ),
        ),
        ModelFamily(("*glm-4*",), Capability(temperature=True, limit="max_tokens", format=AnswerFormat.TOOL)),
        ModelFamily(
            (
                *("*llama*", "*qwen*", "*mistral*", "*mixtral*", "*gemma*", "*phi-*", "*olmo*", "*granite*"),
                "*smollm*",
            ),
            Capability(
                temperature=True,
                seed=True,
                limit="max_tokens",
                logprobs=True,
                prefix_tokens=LOCAL_PREFIX,
            ),
        ),
        ModelFamily(
            ("gemini-*", "google/gemini-*"),
            Capability(temperature=True, limit="max_completion_tokens", reasoning=True),
        ),
    ),
    adapter=OpenAIAdapter,
    tokens="1,200 prompt tokens, of which the prompt cache served 1,024: 1,200 input tokens, 1,024 of them cached.",
)
