"""APIs of language models as teams log them: requests and responses apart, both in one object, lines of batches."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..imported import Imported, UnreadableError, Wanted, refusing
from ..model_calls.calls import Call, conversations, name_of
from ..talk.labels import labels_in
from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import is_message, read_messages
from ..talk.speakers import Speaker
from ..talk.times import as_time
from ..talk.utterances import Utterance

_REQUESTS = ("request", "body", "kwargs", "params", "request_body", "input", "payload")
_RESPONSES = ("response", "completion", "response_body", "result", "output", "message", "body")
_HELD = ("body", "message")
_BLOCKS = frozenset({
    "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document", "search_result",
})  # fmt: skip
_SETTINGS = frozenset({
    "tools", "tool_choice", "functions", "function_call", "response_format", "text", "reasoning", "include", "stream", "stream_options",
    "parallel_tool_calls", "store", "service_tier", "instructions", "system_fingerprint", "truncation", "background", "prompt",
    "tool_usage", "safety_identifier", "prompt_cache_key", "output_text",
})  # fmt: skip
"""Fields that set how a model answers: counted, since they are the same in call after call."""
Payload = Mapping[str, Any]


class Api(ABC):
    """An API of language models: its requests, its responses, and the messages that each holds."""

    known: tuple[str, ...]
    """Fields of both that are read, or say nothing more."""
    missing: str
    """The fault of an entry with neither."""
    previous = ""
    """The field that names the call before."""

    def fits(self, value: Any) -> bool:
        """Return whether a value is a request, a response, or holds either. What has `inputs` is a step of a trace, or a row of one."""
        request, response = (
            self._split(value) if not isinstance(value, Mapping) or "inputs" not in value else (None, None)
        )
        return response is not None or (request is not None and self._is_own(request))

    def read(self, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        """Read entries as calls, which make conversations."""
        calls = []
        for entry in entries:
            with refusing(entry.place, faults):
                calls.append(self._call(entry))
        yield from conversations(calls, wanted, faults)

    def _is_request(self, value: Any) -> bool:
        messages = value.get("messages") if isinstance(value, Mapping) else None
        return isinstance(messages, list) and bool(messages) and all(map(is_message, messages))

    @abstractmethod
    def _is_response(self, value: Any) -> bool: ...

    @abstractmethod
    def _is_own(self, request: Payload) -> bool:
        """Return whether a request without a response is one of this API."""

    def _given(self, request: Payload, leftovers: Leftovers) -> Sequence[Utterance]:
        return read_messages(request["messages"], leftovers)

    @abstractmethod
    def _came(self, response: Payload, leftovers: Leftovers) -> Sequence[Utterance]: ...

    def _split(self, value: Any) -> tuple[Payload | None, Payload | None]:
        """The request and the response in an entry; None for what it has not."""
        if not isinstance(value, Mapping):
            return None, None
        request = next((one for one in (value, *_inside(value, _REQUESTS)) if self._is_request(one)), None)
        response = next((one for one in (value, *_inside(value, _RESPONSES)) if self._is_response(one)), None)
        return request, response

    def _call(self, entry: Entry) -> Call:
        """The call that an entry is. Raises UnreadableError for an entry with neither a request nor a response."""
        request, response = self._split(entry.value)
        payloads = [one for one in (request, response) if one is not None]
        if not payloads:
            raise UnreadableError(self.missing)
        of_given, own = Leftovers(), Leftovers()
        given = self._given(request, of_given) if request else []
        came = self._came(response, own) if response else []
        conversation, name = name_of(entry.value, request, response)
        labels, label_fields = labels_in(entry.value)
        before = [one[self.previous] for one in payloads if one.get(self.previous)]
        return Call(
            entry.place,
            given,
            came,
            of_given.left,
            own.left,
            conversation=conversation,
            id=None if response is None or response.get("id") is None else str(response["id"]),
            previous=str(before[0]) if before else None,
            metadata=self._metadata(entry.value, payloads, name or "", label_fields, own),
            labels=labels,
        )

    def _metadata(
        self, value: Payload, payloads: Sequence[Payload], name: str, labels: set[str], leftovers: Leftovers
    ) -> dict[str, str]:
        """Everything that nothing else reads. The response's fields come before the request's of the same name."""
        read = {name, *labels, *self.known, *_SETTINGS}
        kept: dict[str, str] = {}
        for payload in payloads:
            settings = {field: payload[field] for field in _SETTINGS & payload.keys()}
            leftovers.count_unread(settings, self.known, "settings.")
            if payload is not value:
                kept |= leftovers.keep(payload, read)
        for field, part in value.items():
            kept |= leftovers.keep(_beside(field, loaded(part), payloads), read)
        kept.pop(name, None)
        return kept


class Chat(Api):
    """OpenAI's Chat Completions."""

    known = ("messages", "choices", "object", "created", "id")
    missing = "neither a request with messages nor a response with choices"

    def _is_response(self, value: Any) -> bool:
        choices = value.get("choices") if isinstance(value, Mapping) else None
        return (
            isinstance(choices, list)
            and bool(choices)
            and all(isinstance(one, Mapping) and isinstance(one.get("message"), Mapping) for one in choices)
        )

    def _is_own(self, request: Payload) -> bool:
        of_models = ("model", "tools", "temperature", "top_p", "seed", "n")
        return not _is_anthropic(request) and any(name in request for name in of_models)

    def _came(self, response: Payload, leftovers: Leftovers) -> Sequence[Utterance]:
        """The first choice; others were never shown."""
        first, *others = response["choices"]
        leftovers.count("choices beside the first", len(others))
        leftovers.count_unread(first, ("message", "index", "finish_reason"), "choices.")
        created = as_time(response.get("created"))
        beside = {"created_at": created, "finish_reason": first.get("finish_reason")}
        given = {name: part for name, part in beside.items() if part}
        return read_messages([{"role": "assistant", **first["message"], **given}], leftovers)


class Responses(Api):
    """OpenAI's Responses: `input` and `output` items, chained by `previous_response_id` or a conversation."""

    known = ("input", "output", "object", "created_at", "id", "previous_response_id", "conversation")
    missing = "neither a request with input nor a response with output"
    previous = "previous_response_id"

    def fits(self, value: Any) -> bool:
        """Return whether a value is a response, or holds one or a request: `input` alone may be anybody's."""
        request, response = self._split(value)
        return response is not None or (request is not value and super().fits(value))

    def _is_request(self, value: Any) -> bool:
        given = value.get("input") if isinstance(value, Mapping) else None
        return isinstance(given, str) or (bool(given) and _are_items(given))

    def _is_response(self, value: Any) -> bool:
        if not isinstance(value, Mapping) or not isinstance(value.get("output"), list):
            return False
        return value.get("object") == "response" or (bool(value["output"]) and _are_items(value["output"]))

    def _is_own(self, request: Payload) -> bool:
        return any(name in request for name in ("model", "tools", "instructions"))

    def _given(self, request: Payload, leftovers: Leftovers) -> Sequence[Utterance]:
        given = request["input"]
        return [Utterance(Speaker.USER, given)] if isinstance(given, str) else read_messages(given, leftovers)

    def _came(self, response: Payload, leftovers: Leftovers) -> Sequence[Utterance]:
        created = as_time(response.get("created_at"))
        items = list(response["output"])
        for at, item in enumerate(items):
            if created and isinstance(item, Mapping) and item.get("type", "message") == "message":
                items[at] = {**item, "created_at": created}
        return read_messages(items, leftovers)


class Anthropic(Api):
    """Anthropic's Messages."""

    known = ("messages", "system", "content", "role", "type", "id")
    missing = "neither a request with messages nor a message as response"

    def _is_response(self, value: Any) -> bool:
        match value:
            case {"type": "message", "role": "assistant", "content": list()}:
                return "stop_reason" in value or "usage" in value
        return False

    def _is_own(self, request: Payload) -> bool:
        return _is_anthropic(request)

    def _given(self, request: Payload, leftovers: Leftovers) -> Sequence[Utterance]:
        system = [Utterance(Speaker.INSTRUCTION, None, role="system")] if request.get("system") else []
        return [*system, *super()._given(request, leftovers)]

    def _came(self, response: Payload, leftovers: Leftovers) -> Sequence[Utterance]:
        return read_messages([{name: response.get(name) for name in ("role", "content", "id")}], leftovers)


def _are_items(values: Any) -> bool:
    return isinstance(values, list) and all(
        isinstance(one, Mapping) and (isinstance(one.get("type"), str) or isinstance(one.get("role"), str))
        for one in values
    )


def _is_anthropic(request: Payload) -> bool:
    """Return whether a request is one of Anthropic's: by its blocks, its own version field, its model's name."""
    contents = [one.get("content") for one in request.get("messages") or () if isinstance(one, Mapping)]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return (
        "anthropic_version" in request
        or str(request.get("model", "")).startswith("claude")
        or any(isinstance(part, Mapping) and str(part.get("type")) in _BLOCKS for part in parts)
    )


def _inside(value: Payload, names: Sequence[str]) -> list[Any]:
    """Return the objects under these names, and the body inside each, as the Batch API writes it."""
    found = []
    for name in names:
        held = loaded(value.get(name))
        if isinstance(held, Mapping):
            found += [held, *(held[inner] for inner in _HELD if isinstance(held.get(inner), Mapping))]
    return found


def _beside(name: str, part: Any, payloads: Sequence[Payload]) -> dict[str, Any]:
    """A field, without the request or the response where it is one, or holds one beside other things."""
    if isinstance(part, Mapping):
        if part in payloads:
            return {}
        for held in _HELD:
            if isinstance(part.get(held), Mapping) and part[held] in payloads:
                return {f"{name}.{key}": one for key, one in part.items() if key != held}
    return {name: part}


openai_chat, openai_responses, anthropic = Chat(), Responses(), Anthropic()
