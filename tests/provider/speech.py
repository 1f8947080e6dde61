"""The two protocols that the local provider server speaks, and its default answers."""

import hashlib
import json
import re
from typing import Any

from .behaviours import Answer, Payload, Status

SENTENCE = "The replies follow what the user asks for."


def schema_of(payload: Payload) -> dict[str, Any] | None:
    """The JSON schema that a request asks its answer to fit: as a format, as a tool, or in the prompt."""
    response_format = payload.get("response_format") or {}
    if "json_schema" in response_format:
        return dict(response_format["json_schema"]["schema"])
    output = (payload.get("output_config") or {}).get("format")
    if output:
        return dict(output["schema"])
    for tool in payload.get("tools") or ():
        return dict(tool.get("input_schema") or tool["function"]["parameters"])
    found = re.search(r"<schema>\s*(\{.*\})\s*</schema>", prompt_of(payload), re.DOTALL)
    return dict(json.loads(found.group(1))) if found else None


def prompt_of(payload: Payload) -> str:
    """All text of a request, in order."""
    parts = [payload.get("system"), *(message.get("content") for message in payload.get("messages", ()))]
    return "\n".join(_text(part) for part in parts if part)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)


def compose(payload: Payload) -> str:
    """An answer that fits the request's schema; its numbers are decided by the prompt alone."""
    schema = schema_of(payload)
    if schema is None:
        return SENTENCE
    seed = int(hashlib.sha256(prompt_of(payload).encode()).hexdigest()[:8], 16)
    return json.dumps(_fill(schema, seed, schema.get("$defs", {})))


def _fill(schema: dict[str, Any], seed: int, definitions: dict[str, Any]) -> Any:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    if "anyOf" in schema:
        return _fill(schema["anyOf"][0], seed, definitions)
    if "enum" in schema:
        return schema["enum"][seed % len(schema["enum"])]
    kind = schema.get("type")
    if kind == "object":
        return {
            name: _fill(part, seed // (index + 1), definitions)
            for index, (name, part) in enumerate(schema["properties"].items())
        }
    if kind == "array" and schema["items"].get("type") == "string":
        return [SENTENCE]
    plain = {"string": SENTENCE, "boolean": True, "array": [], "number": 0.5}
    return plain[str(kind)] if kind in plain else int(schema.get("minimum", 0))


def tokens(text: str) -> int:
    """A rough count of tokens, as good as any for a provider that bills nobody."""
    return len(text) // 4 + 1


def spent(payload: Payload, answer: Answer, text: str) -> int:
    """The tokens of an answer: all that are allowed where it was cut off."""
    allowed = payload.get("max_completion_tokens") or payload.get("max_tokens")
    cut = allowed if answer.finish == "length" else None
    return answer.spent or cut or tokens(text)


def openai_answer(payload: Payload, answer: Answer, text: str) -> Payload:
    """A Chat Completions answer; its prompt tokens include the cached ones."""
    message: Payload = {
        "role": "assistant",
        "content": text if answer.content else None,
        "refusal": answer.refusal,
    }
    finish = answer.finish
    if payload.get("tools") and answer.content:
        function = {"name": payload["tools"][0]["function"]["name"], "arguments": text}
        message |= {
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        }
        finish = "tool_calls" if finish == "stop" else finish
    sent, said = answer.read or tokens(prompt_of(payload)), spent(payload, answer, text)
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": 1,
        "model": answer.model or payload["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": sent,
            "completion_tokens": said,
            "total_tokens": sent + said,
            "prompt_tokens_details": {"cached_tokens": answer.cached},
        },
    }


def anthropic_answer(payload: Payload, answer: Answer, text: str) -> Payload:
    """A Messages answer; its input tokens leave the cached ones out."""
    stop = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}.get(
        answer.finish, answer.finish
    )
    content: list[Payload] = [{"type": "text", "text": text}] if text else []
    if payload.get("tools") and answer.finish == "stop" and answer.content:
        content = [
            {
                "type": "tool_use",
                "id": "toolu_1",
                "name": payload["tools"][0]["name"],
                "input": json.loads(text),
            }
        ]
        stop = "tool_use"
    if not answer.content:
        content, stop = [], "refusal"
    return {
        "id": "msg_local",
        "type": "message",
        "role": "assistant",
        "model": answer.model or payload["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens(prompt_of(payload)) - answer.cached,
            "cache_read_input_tokens": answer.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": spent(payload, answer, text),
        },
    }


def error_body(anthropic: bool, failure: Status) -> Payload:
    """The provider's own shape of an error."""
    if anthropic:
        kinds = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error"}
        kinds |= {429: "rate_limit_error", 529: "overloaded_error"}
        return {
            "type": "error",
            "error": {"type": kinds.get(failure.status, "api_error"), "message": failure.message},
        }
    error = {"message": failure.message, "type": "error", "param": failure.parameter, "code": failure.code}
    return {"error": error}
