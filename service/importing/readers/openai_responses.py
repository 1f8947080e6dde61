"""OpenAI's Responses as teams log them: `input` and `output` items, chained by `previous_response_id` or a conversation."""

from collections.abc import Mapping
from typing import Any

from ..entries import Entry
from ..imported import UnreadableError, objects
from ..model_calls import payloads
from ..model_calls.calls import Call, read_calls
from ..talk.labels import labels_in
from ..talk.leftovers import Leftovers
from ..talk.messages import read_messages
from ..talk.speakers import Speaker
from ..talk.times import as_time
from ..talk.utterances import Utterance

_READ = ("input", "output", "object", "created_at", "id", "previous_response_id", "conversation")


def _is_item(value: Any) -> bool:
    return isinstance(value, Mapping) and (
        isinstance(value.get("type"), str) or isinstance(value.get("role"), str)
    )


def _response(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("output"), list):
        return False
    return value.get("object") == "response" or (
        bool(value["output"]) and all(map(_is_item, value["output"]))
    )


def _request(value: Any) -> bool:
    given = value.get("input") if isinstance(value, Mapping) else None
    return isinstance(given, str) or (isinstance(given, list) and bool(given) and all(map(_is_item, given)))


def fits(value: Any) -> bool:
    """Return whether a value is a response, or holds one or a request."""
    request, response = payloads.split(value, _request, _response)
    if response is not None:
        return True
    return (
        request is not None
        and request is not value
        and any(name in request for name in ("model", "tools", "instructions"))
    )


def _read(entry: Entry) -> Call:
    request, response = payloads.split(entry.value, _request, _response)
    if request is None and response is None:
        raise UnreadableError("neither a request with input nor a response with output")
    of_given, own = Leftovers(), Leftovers()
    given = request["input"] if request else []
    created = as_time(response.get("created_at")) if response else None
    came = [
        {**item, "created_at": created} if created and item.get("type", "message") == "message" else item
        for item in objects(response["output"] if response else None, "output")
    ]
    around = payloads.Around(entry.value, request, response, own)
    told = [
        one["previous_response_id"] for one in (request, response) if one and one.get("previous_response_id")
    ]
    previous = str(told[0]) if told else None
    labels, _ = labels_in(entry.value)
    return Call(
        entry.place,
        [Utterance(Speaker.USER, given)] if isinstance(given, str) else read_messages(given, of_given),
        read_messages(came, own),
        of_given.left,
        own.left,
        conversation=around.conversation,
        id=None if response is None or response.get("id") is None else str(response["id"]),
        previous=previous,
        metadata=around.metadata(_READ),
        labels=labels,
    )


read = read_calls(_read)
