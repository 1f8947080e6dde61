"""OpenAI's Chat Completions as teams log them: requests, responses, both together, lines of the Batch API."""

from collections.abc import Mapping
from typing import Any

from ..model_calls.calls import read_calls
from ..model_calls.payloads import Api, Payload, has_messages, is_anthropic
from ..talk.leftovers import Leftovers
from ..talk.messages import read_messages
from ..talk.times import as_time
from ..talk.utterances import Utterance

_OF_MODELS = ("model", "tools", "temperature", "top_p", "seed", "n")


def _is_response(value: Any) -> bool:
    choices = value.get("choices") if isinstance(value, Mapping) else None
    return (
        isinstance(choices, list)
        and bool(choices)
        and all(isinstance(one, Mapping) and isinstance(one.get("message"), Mapping) for one in choices)
    )


def _came(response: Payload, leftovers: Leftovers) -> list[Utterance]:
    """The first choice; others were never shown."""
    first, *others = response["choices"]
    if others:
        leftovers.count("choices beside the first", len(others))
    leftovers.count_unread(first, ("message", "index", "finish_reason"), "choices.")
    created = as_time(response.get("created"))
    beside = {"created_at": created, "finish_reason": first.get("finish_reason")}
    message = {
        "role": "assistant",
        **first["message"],
        **{name: part for name, part in beside.items() if part},
    }
    return read_messages([message], leftovers)


_API = Api(
    has_messages,
    _is_response,
    lambda request, leftovers: read_messages(request["messages"], leftovers),
    _came,
    read=("messages", "choices", "object", "created", "id"),
    missing="neither a request with messages nor a response with choices",
)


def fits(value: Any) -> bool:
    """Return whether a value is a request, a response, or holds either."""
    request, response = _API.split(value)
    plain = request is not None and not is_anthropic(request) and any(name in request for name in _OF_MODELS)
    return response is not None or plain


read = read_calls(_API.call)
