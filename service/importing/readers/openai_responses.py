"""OpenAI's Responses as teams log them: `input` and `output` items, chained by `previous_response_id` or a conversation."""

from collections.abc import Mapping
from typing import Any

from ..imported import objects
from ..model_calls.calls import read_calls
from ..model_calls.payloads import Api, Payload
from ..talk.leftovers import Leftovers
from ..talk.messages import read_messages
from ..talk.speakers import Speaker
from ..talk.times import as_time
from ..talk.utterances import Utterance


def _are_items(values: Any) -> bool:
    return isinstance(values, list) and all(
        isinstance(one, Mapping) and (isinstance(one.get("type"), str) or isinstance(one.get("role"), str))
        for one in values
    )


def _is_response(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("output"), list):
        return False
    return value.get("object") == "response" or (bool(value["output"]) and _are_items(value["output"]))


def _is_request(value: Any) -> bool:
    given = value.get("input") if isinstance(value, Mapping) else None
    return isinstance(given, str) or (bool(given) and _are_items(given))


def _given(request: Payload, leftovers: Leftovers) -> list[Utterance]:
    given = request["input"]
    return [Utterance(Speaker.USER, given)] if isinstance(given, str) else read_messages(given, leftovers)


def _came(response: Payload, leftovers: Leftovers) -> list[Utterance]:
    created = as_time(response.get("created_at"))
    items = [
        {**item, "created_at": created} if created and item.get("type", "message") == "message" else item
        for item in objects(response["output"], "output")
    ]
    return read_messages(items, leftovers)


_API = Api(
    _is_request,
    _is_response,
    _given,
    _came,
    read=("input", "output", "object", "created_at", "id", "previous_response_id", "conversation"),
    missing="neither a request with input nor a response with output",
    previous="previous_response_id",
)


def fits(value: Any) -> bool:
    """Return whether a value is a response, or holds one or a request."""
    request, response = _API.split(value)
    inside = request is not None and request is not value
    return response is not None or (
        inside and any(name in (request or ()) for name in ("model", "tools", "instructions"))
    )


read = read_calls(_API.call)
