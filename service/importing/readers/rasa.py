"""Rasa's trackers: `{sender_id, events}`, as a tracker store or `rasa export` has them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault, Json
from ..imported import Imported, UnreadableError, Wanted, refusing
from ..talk.leftovers import Leftovers, loaded
from ..talk.threads import read_chat
from ..talk.times import as_time

_READ = (
    "sender_id", "events", "latest_message", "latest_event_time", "latest_input_channel", "latest_action_name",
)  # fmt: skip
_READ_OF_EVENTS = ("event", "text", "timestamp", "message_id", "data", "sender_id", "type_name")
_SPEAKERS = {"user": "user", "bot": "assistant"}
_PAYLOAD = re.compile(r"/([\w./-]{1,100})\s{0,9}(?=\{|\Z)")
"""An intent that a button sends instead of words: `/greet`, `/inform{"cuisine": "thai"}`."""
_RESTART = "/restart"
_BEGIN = ("session_started", "restart")
_SILENT = ("action", "action_listen", *_BEGIN)
_OF_RASA = (
    "action_listen", "action_session_start", "action_restart", "action_default_fallback", "action_extract_slots",
)  # fmt: skip


def fits(value: Any) -> bool:
    """Return whether a value is a tracker."""
    events = loaded(value.get("events")) if isinstance(value, Mapping) and "sender_id" in value else None
    return isinstance(events, list) and all(isinstance(one, Mapping) and "event" in one for one in events)


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read trackers, a conversation a session."""
    for entry in entries:
        sessions: list[list[Mapping[str, Any]]] = []
        with refusing(entry.place, faults):
            sessions = _sessions(entry.value)
        for number, session in enumerate(sessions, 1):
            name = str(entry.value.get("sender_id", "")) + (f"-{number}" if len(sessions) > 1 else "")
            with refusing(entry.place, faults):
                yield _session(entry, session, name, wanted)


def _sessions(value: Any) -> list[list[Mapping[str, Any]]]:
    """The events of each session in which somebody speaks: a tracker goes on over days and over restarts."""
    events = loaded(value.get("events")) if isinstance(value, Mapping) else None
    if not isinstance(events, list):
        raise UnreadableError("events is not a list")
    sessions: list[list[Mapping[str, Any]]] = [[]]
    for event in events:
        if not isinstance(event, Mapping):
            raise UnreadableError("an event is not an object")
        if event.get("event") in _BEGIN:
            sessions.append([])
        sessions[-1].append(event)
    return [session for session in sessions if any(map(_is_said, session))] or [events]


def _is_said(event: Mapping[str, Any]) -> bool:
    kind = str(event.get("event"))
    return kind in _SPEAKERS and not (kind == "user" and _is_command(event, first=True))


def _session(entry: Entry, events: Sequence[Mapping[str, Any]], name: str, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    messages: list[Json] = []
    titles: dict[str, str] = {}
    for event in events:
        kind, action = str(event.get("event")), str(event.get("name") or "")
        if kind == "user" and _is_command(event, first=not messages):
            leftovers.count(f"messages {event['text']}")
        elif kind in _SPEAKERS:
            titles |= _titles(event)
            messages.append(_message(event, titles))
        elif kind == "action" and action.startswith("action_") and action not in _OF_RASA:
            messages.append({"type": "tool_call", "name": action})
            leftovers.count_unread(event, (*_READ_OF_EVENTS, "metadata", "name"), "events.")
        elif kind not in _SILENT:
            leftovers.count(f"events {kind}")
    around = {**{key: part for key, part in entry.value.items() if key not in _READ}, "id": name}
    return read_chat(entry.place, around, messages, wanted, leftovers)


def _is_command(event: Mapping[str, Any], *, first: bool) -> bool:
    """Return whether a program sends this and not the user: a restart, or an intent such as `/greet` that opens a session."""
    text = str(event.get("text"))
    return text == _RESTART or (first and "{" not in text and _PAYLOAD.match(text) is not None)


def _titles(event: Mapping[str, Any]) -> dict[str, str]:
    """The titles of a reply's buttons by what they send."""
    buttons = _data(event).get("buttons")
    listed = [one for one in buttons if isinstance(one, Mapping)] if isinstance(buttons, list) else []
    return {
        str(one["payload"]): str(one["title"]) for one in listed if one.get("payload") and one.get("title")
    }


def _data(event: Mapping[str, Any]) -> Mapping[str, Any]:
    return event["data"] if isinstance(event.get("data"), Mapping) else {}


def _words(text: str, titles: Mapping[str, str]) -> str:
    """The words that stand for a payload: the button's title, else the values in it, else its intent."""
    found = _PAYLOAD.match(text)
    if found is None or text in titles:
        return titles.get(text, text)
    values = loaded(text[found.end() :] or "{}")
    if not isinstance(values, Mapping):
        return text
    return ", ".join(map(str, values.values())) or found[1].replace("_", " ")


def _message(event: Mapping[str, Any], titles: Mapping[str, str]) -> Json:
    data = dict(_data(event))
    text = event["text"] if isinstance(event.get("text"), str) else ""
    words = _words(text, titles) if event["event"] == "user" else text
    image = data.pop("image", None)
    picture = [{"type": "image", "url": image}] if isinstance(image, str) else []
    shown = {"recommendations": data.pop("elements")} if data.get("elements") else {}
    return {
        **data,
        **shown,
        **{name: part for name, part in event.items() if name not in _READ_OF_EVENTS},
        "role": _SPEAKERS[event["event"]],
        "content": words,
        "parts": picture,
        "id": event.get("message_id"),
        "created_at": as_time(event.get("timestamp")),
        "payload": text if words != text else None,
    }
