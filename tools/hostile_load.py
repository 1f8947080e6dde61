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
        "many messages": ("/evaluate", _many(400, "Try Dust Hymnal (1969): slow. What else do you like?")),
        "empty objects": ("/score", filled(b'{"log":{"messages":[', b"{}", b"]}}", 1_000_000)),
        "empty ratings": ("/agreement", filled(b'{"ratings":[', b"{}", b"]}", 1_000_000)),
        "one title, often": ("/score", _items(5_000, "Blue Hour", "Try Blue Hour. " * 300)),
        "long words as titles": ("/score", _items(100, "x" * 2_000, "Try it.")),
        "many items": ("/score/coherence", _items(20_000, "Film {n} of the Year", "Try Film 7 of the Year.")),
        "a large body that is no JSON": ("/debate", b'{"log":' + b'"' * 8_000_000),
    }


def _said(text: str) -> bytes:
    return json.dumps({"log": {"messages": _messages(1, text)}}).encode()


def _many(number: int, text: str) -> bytes:
    return json.dumps({"log": {"messages": _messages(number, text)}, "debate": False}).encode()


def _messages(number: int, text: str) -> list[dict[str, str]]:
    asked = json.loads(MESSAGE) | {"content": "Something calm, please."}
    return [asked, {"role": "assistant", "content": text}] * number


def _items(number: int, title: str, text: str) -> bytes:
    items = [{"id": f"i{n}", "title": title.format(n=n)} for n in range(number)]
    return json.dumps({"log": {"messages": _messages(5, text), "items": items}}).encode()
