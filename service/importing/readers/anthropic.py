"""Anthropic's Messages as teams log them: requests, responses, both together, lines of the Batch API's results."""

from collections.abc import Mapping
from typing import Any

from ..model_calls.calls import read_calls
from ..model_calls.payloads import Api, Payload, has_messages, is_anthropic
from ..talk.leftovers import Leftovers
from ..talk.messages import read_messages
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance


def _is_response(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and value.get("type") == "message"
        and value.get("role") == "assistant"
        and isinstance(value.get("content"), list)
        and ("stop_reason" in value or "usage" in value)
    )


def _given(request: Payload, leftovers: Leftovers) -> list[Utterance]:
    given = read_messages(request["messages"], leftovers)
    return [Utterance(Speaker.INSTRUCTION, None, role="system"), *given] if request.get("system") else given


_API = Api(
    has_messages,
    _is_response,
    _given,
    lambda response, leftovers: read_messages(
        [{name: response.get(name) for name in ("role", "content", "id")}], leftovers
    ),
    read=("messages", "system", "content", "role", "type", "id"),
    missing="neither a request with messages nor a message as response",
)


def fits(value: Any) -> bool:
    """Return whether a value is a request, a response, or holds either."""
    request, response = _API.split(value)
    return response is not None or (request is not None and is_anthropic(request))


read = read_calls(_API.call)
