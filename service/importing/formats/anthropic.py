"""Anthropic's Messages as teams log them: requests, responses, both together, lines of the Batch API's results."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import Format, Line
from ..imported import UnreadableError
from ..model_calls import payloads
from ..model_calls.calls import Call, read_calls
from ..talk.labels import labels_in
from ..talk.leftovers import Leftovers
from ..talk.messages import is_message, read_messages
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance

_READ = ("messages", "system", "content", "role", "type", "id")


def _response(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and value.get("type") == "message"
        and value.get("role") == "assistant"
        and isinstance(value.get("content"), list)
        and ("stop_reason" in value or "usage" in value)
    )


def _request(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, Mapping) else None
    return isinstance(messages, list) and bool(messages) and all(map(is_message, messages))


def _fits(value: Any) -> bool:
    request, response = payloads.split(value, _request, _response)
    return response is not None or (request is not None and payloads.is_anthropic(request))


def _read(entry: Entry) -> Call:
    request, response = payloads.split(entry.value, _request, _response)
    if request is None and response is None:
        raise UnreadableError("neither a request with messages nor a message as response")
    of_given, own = Leftovers(), Leftovers()
    given = read_messages(request["messages"], of_given) if request else []
    if request and request.get("system"):
        given = [Utterance(Speaker.INSTRUCTION, None, role="system"), *given]
    came = (
        read_messages([{name: response.get(name) for name in ("role", "content", "id")}], own)
        if response
        else []
    )
    around = payloads.Around(entry.value, request, response, own)
    labels, _ = labels_in(entry.value)
    return Call(
        entry.place,
        given,
        came,
        of_given.left,
        own.left,
        conversation=around.conversation,
        id=None if response is None or response.get("id") is None else str(response["id"]),
        metadata=around.metadata(_READ),
        labels=labels,
    )


def _sample(said: Sequence[Line]) -> str:
    """A line a call, each given the talk so far; the assistant looks something up before its first reply."""
    lines: list[dict[str, Any]] = []
    messages: list[dict[str, Any]] = []
    for number, (role, text) in enumerate(said):
        content: Any = text if role == "user" else [{"type": "text", "text": text}]
        if role == "assistant" and not lines:
            use = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"genre": "drama"}}
            result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Paper Lanterns (2009)"}
            messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        if role == "assistant":
            response = {
                "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-x", "content": content,
                "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 5},
            }  # fmt: skip
            request = {
                "model": "claude-x",
                "max_tokens": 500,
                "system": "Recommend films.",
                "messages": [*messages],
            }
            lines.append({"request": request, "response": response, "session_id": "s1"})
        messages.append({"role": role, "content": content})
    if said[-1][0] == "user":
        lines.append(
            {"request": {"model": "claude-x", "max_tokens": 500, "messages": messages}, "session_id": "s1"}
        )
    return "".join(json.dumps(line) + "\n" for line in lines)


FORMAT = Format(
    name="anthropic",
    reads=(
        "Anthropic's Messages: requests, responses, both in a line, results of a batch; `tool_use` and `tool_result` become "
        "parts of messages; calls of one conversation are brought together as for `openai-chat`"
    ),
    described="https://docs.anthropic.com/en/api/messages",
    fits=_fits,
    read=read_calls(_read),
    sample=_sample,
)
