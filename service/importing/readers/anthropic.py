"""Anthropic's Messages as teams log them: requests, responses, both together, lines of the Batch API's results."""

from collections.abc import Mapping
from typing import Any

from ..entries import Entry
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


def fits(value: Any) -> bool:
    """Return whether a value is a request, a response, or holds either."""
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


read = read_calls(_read)
