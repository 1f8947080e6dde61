"""OpenAI's Chat Completions as teams log them: requests, responses, both together, lines of the Batch API."""

from collections.abc import Mapping
from typing import Any

from ..entries import Entry
from ..imported import UnreadableError
from ..model_calls import payloads
from ..model_calls.calls import Call, read_calls
from ..talk.labels import labels_in
from ..talk.leftovers import Leftovers
from ..talk.messages import is_message, read_messages
from ..talk.times import as_time
from ..talk.utterances import Utterance

_READ = ("messages", "choices", "object", "created", "id")
_OF_MODELS = ("model", "tools", "temperature", "top_p", "seed", "n")


def _response(value: Any) -> bool:
    choices = value.get("choices") if isinstance(value, Mapping) else None
    return (
        isinstance(choices, list)
        and bool(choices)
        and all(isinstance(one, Mapping) and isinstance(one.get("message"), Mapping) for one in choices)
    )


def _request(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, Mapping) else None
    return isinstance(messages, list) and bool(messages) and all(map(is_message, messages))


def fits(value: Any) -> bool:
    """Return whether a value is a request, a response, or holds either."""
    request, response = payloads.split(value, _request, _response)
    if response is not None:
        return True
    return (
        request is not None
        and not payloads.is_anthropic(request)
        and any(name in request for name in _OF_MODELS)
    )


def _read(entry: Entry) -> Call:
    request, response = payloads.split(entry.value, _request, _response)
    if request is None and response is None:
        raise UnreadableError("neither a request with messages nor a response with choices")
    of_given, own = Leftovers(), Leftovers()
    given = read_messages(request["messages"], of_given) if request else []
    came = _came(response, own) if response else []
    around = payloads.Around(entry.value, request, response, own)
    labels, _ = labels_in(entry.value)
    return Call(
        entry.place,
        given,
        came,
        of_given.left,
        conversation=around.conversation,
        id=None if response is None or response.get("id") is None else str(response["id"]),
        metadata=around.metadata(_READ),
        left=own.left,
        labels=labels,
    )


def _came(response: Mapping[str, Any], leftovers: Leftovers) -> list[Utterance]:
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


read = read_calls(_read)
