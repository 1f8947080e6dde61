"""Requests that once stopped the service, or would: what a hostile caller sends in a soak and beside a probe."""

import json
from collections.abc import Mapping
from functools import cache

from tests.memory_probe import MESSAGE, filled

#: A request: its route and its body.
Hostile = tuple[str, bytes]


@cache
def hostile_requests() -> Mapping[str, Hostile]:
    """Each by its name. All are answered or refused; none may hold up others."""
    return {
        "brackets before a steering word": ("/score", _said("data log_end of x = " + "(" * 20_000)),
        "a figure without end": ("/score", _said("$ 20 " + "1,111," * 7_000)),
        "blanks": ("/score", _said("Try" + " " * 40_000 + "(1999)")),
        "quoted blanks": ("/score", _said('I like "' + "x " * 20_000 + '"')),
        "a long reply": (
            "/score",
            _said("I would try Dust Hymnal (1969), slow and set by the sea. " * 4_000),
        ),
        "many messages": ("/evaluate", json.dumps({"log": {"messages": _talk()}, "debate": False}).encode()),
        "empty objects": ("/score", filled(b'{"log":{"messages":[', b"{}", b"]}}", 1_000_000)),
        "empty ratings": ("/agreement", filled(b'{"ratings":[', b"{}", b"]}", 1_000_000)),
        "one title, often": ("/score", _items(5_000, "Blue Hour", "Try Blue Hour. " * 300)),
        "long words as titles": ("/score", _items(100, "x" * 2_000, "Try it.")),
        "many items": ("/score/coherence", _items(20_000, "Film {n} of the Year", "Try Film 7 of the Year.")),
        "a large body that is no JSON": ("/debate", b'{"log":' + b'"' * 8_000_000),
    }


@cache
def hostile_posts() -> Mapping[str, Hostile]:
    """The same for `crs-eval live`, each by its name: messages and spans. It reads them in the process that serves."""
    to = "/live/conversations/{n}/messages"
    return {
        "brackets before a steering word": (to, _posted(_messages(1, "data log_end of x = " + "(" * 20_000))),
        "blanks": (to, _posted(_messages(1, "Try" + " " * 40_000 + "(1999)"))),
        "a long reply": (to, _posted(_messages(1, "I would try Dust Hymnal (1969), slow. " * 6_000))),
        "many messages": (to, _posted(_talk())),
        "many items": (to, _posted([], items=[{"id": f"i{n}", "title": f"Film {n}"} for n in range(20_000)])),
        "empty objects": (to, filled(b'{"messages":[', b"{}", b"]}", 1_000_000)),
        "a large body that is no JSON": (to, b'{"messages":' + b'"' * 2_000_000),
        "spans without a name": ("/v1/traces", filled(b'{"resourceSpans":[', b"{}", b"]}", 1_000_000)),
        "spans that hold the talk so far": ("/v1/traces", _spans(40, _talk()[:60])),
    }


def _posted(messages: list[dict[str, str]], **more: object) -> bytes:
    return json.dumps({"messages": messages, **more}).encode()


def _spans(number: int, talk: list[dict[str, str]]) -> bytes:
    said = json.dumps(
        [{"role": m["role"], "parts": [{"type": "text", "content": m["content"]}]} for m in talk]
    )
    attributes = [
        {"key": "gen_ai.conversation.id", "value": {"stringValue": "one"}},
        {"key": "gen_ai.input.messages", "value": {"stringValue": said}},
        {"key": "gen_ai.output.messages", "value": {"stringValue": said}},
    ]
    spans = [
        {"traceId": "1" * 32, "spanId": f"{n:016x}", "attributes": attributes} for n in range(1, number + 1)
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


def _said(text: str) -> bytes:
    return json.dumps({"log": {"messages": _messages(1, text)}}).encode()


def _talk() -> list[dict[str, str]]:
    return _messages(400, "Try Dust Hymnal (1969): slow. What else do you like?")


def _messages(number: int, text: str) -> list[dict[str, str]]:
    asked = json.loads(MESSAGE) | {"content": "Something calm, please."}
    return [asked, {"role": "assistant", "content": text}] * number


def _items(number: int, title: str, text: str) -> bytes:
    items = [{"id": f"i{n}", "title": title.format(n=n)} for n in range(number)]
    return json.dumps({"log": {"messages": _messages(5, text), "items": items}}).encode()
