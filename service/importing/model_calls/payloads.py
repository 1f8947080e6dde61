"""Requests and responses of a model's API as they are logged: apart, in one object, one inside the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..entries import Entry
from ..imported import UnreadableError
from ..talk.labels import labels_in
from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import is_message
from ..talk.utterances import Utterance
from .calls import Call, name_of

_REQUESTS = ("request", "body", "kwargs", "params", "request_body", "input", "payload")
_RESPONSES = ("response", "completion", "response_body", "result", "output", "message", "body")
_BLOCKS = frozenset({
    "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document", "search_result",
})  # fmt: skip
SETTINGS = frozenset({
    "tools", "tool_choice", "functions", "function_call", "response_format", "text", "reasoning", "include", "stream", "stream_options",
    "parallel_tool_calls", "store", "service_tier", "instructions", "system_fingerprint", "truncation", "background", "prompt",
    "tool_usage", "safety_identifier", "prompt_cache_key", "output_text",
})  # fmt: skip
"""Fields that set how a model answers: counted, since they are the same in call after call."""
_HELD = ("body", "message")
Payload = Mapping[str, Any]


@dataclass(frozen=True)
class Api:
    """An API of models: its requests and responses, the messages that each holds, and the fields that are read of both."""

    is_request: Callable[[Any], bool]
    is_response: Callable[[Any], bool]
    given: Callable[[Payload, Leftovers], Sequence[Utterance]]
    came: Callable[[Payload, Leftovers], Sequence[Utterance]]
    read: tuple[str, ...]
    missing: str
    """The fault of an entry with neither."""
    previous: str = ""
    """The field that names the call before."""

    def split(self, value: Any) -> tuple[Payload | None, Payload | None]:
        """The request and the response in an entry; None for what it has not."""
        if not isinstance(value, Mapping):
            return None, None
        request = next((one for one in (value, *_inside(value, _REQUESTS)) if self.is_request(one)), None)
        response = next((one for one in (value, *_inside(value, _RESPONSES)) if self.is_response(one)), None)
        return request, response

    def call(self, entry: Entry) -> Call:
        """The call that an entry is. Raises UnreadableError for an entry with neither a request nor a response."""
        request, response = self.split(entry.value)
        if request is None and response is None:
            raise UnreadableError(self.missing)
        of_given, own = Leftovers(), Leftovers()
        told = [one[self.previous] for one in (request, response) if one and one.get(self.previous)]
        given = self.given(request, of_given) if request else []
        came = self.came(response, own) if response else []
        around = Around(entry.value, request, response, own)
        labels, _ = labels_in(entry.value)
        return Call(
            entry.place,
            given,
            came,
            of_given.left,
            own.left,
            conversation=around.conversation,
            id=None if response is None or response.get("id") is None else str(response["id"]),
            previous=str(told[0]) if told else None,
            metadata=around.metadata(self.read),
            labels=labels,
        )


def has_messages(value: Any) -> bool:
    """Return whether a value is a request with a list of messages."""
    messages = value.get("messages") if isinstance(value, Mapping) else None
    return isinstance(messages, list) and bool(messages) and all(map(is_message, messages))


def _inside(value: Payload, names: tuple[str, ...]) -> list[Any]:
    """Return what stands under these names, and the body inside it, as the Batch API writes it."""
    found = []
    for name in names:
        held = loaded(value.get(name))
        if isinstance(held, Mapping):
            found.extend([held, *(held[inner] for inner in _HELD if isinstance(held.get(inner), Mapping))])
    return found


def is_anthropic(request: Payload) -> bool:
    """Return whether a request is one of Anthropic's: by its blocks, its own version field, its model's name."""
    contents = [one.get("content") for one in request.get("messages") or () if isinstance(one, Mapping)]
    blocks = [
        part
        for content in contents
        if isinstance(content, list)
        for part in content
        if isinstance(part, Mapping)
    ]
    return (
        "anthropic_version" in request
        or str(request.get("model", "")).startswith("claude")
        or any(str(part.get("type")) in _BLOCKS for part in blocks)
    )


class Around:
    """Fields of an entry around its messages."""

    def __init__(
        self, value: Payload, request: Payload | None, response: Payload | None, leftovers: Leftovers
    ) -> None:
        self._value = value
        self._request = request
        self._response = response
        self._leftovers = leftovers
        self.conversation, self._name = name_of(value, request, response)

    def metadata(self, read: tuple[str, ...]) -> dict[str, str]:
        """All that is not read, as metadata. What the response says comes before what the request says by the same name."""
        _, labels = labels_in(self._value)
        own = {self._name or "", *labels, *read, *SETTINGS}
        kept: dict[str, str] = {}
        for payload in (self._request, self._response):
            if payload is not None:
                settings = {
                    name: part for name, part in payload.items() if name in SETTINGS and name not in read
                }
                self._leftovers.count_unread(settings, (), "settings.")
            if payload is not None and payload is not self._value:
                kept.update(self._leftovers.keep(payload, own))
        for name, part in self._value.items():
            kept.update(self._leftovers.keep(self._beside(name, loaded(part)), own))
        kept.pop(self._name or "", None)
        return kept

    def _beside(self, name: str, part: Any) -> dict[str, Any]:
        """A field, without the request or the response where it is one, or holds one beside other things."""
        if self._is_payload(part):
            return {}
        held = next(
            (key for key in _HELD if isinstance(part, Mapping) and self._is_payload(part.get(key))), None
        )
        if held is None:
            return {name: part}
        return {f"{name}.{key}": one for key, one in part.items() if key != held}

    def _is_payload(self, part: Any) -> bool:
        return isinstance(part, Mapping) and any(part == one for one in (self._request, self._response))
