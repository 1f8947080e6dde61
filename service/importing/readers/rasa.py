"""Rasa's trackers: `{sender_id, events}`, as a tracker store or `rasa export` has them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..format import attempt
from ..imported import Imported, UnreadableError, Wanted, need
from ..talk.conversation import Conversation
from ..talk.items import shown
from ..talk.leftovers import Leftovers, loaded
from ..talk.parts import tool_call
from ..talk.speakers import Speaker
from ..talk.times import as_time
from ..talk.utterances import Utterance

_READ = (
    "sender_id", "events", "latest_message", "latest_event_time", "latest_input_channel", "latest_action_name",
)  # fmt: skip
_READ_OF_EVENTS = ("event", "text", "timestamp", "message_id", "metadata", "data", "sender_id", "type_name")
_SPEAKERS = {"user": Speaker.USER, "bot": Speaker.ASSISTANT}
_PAYLOAD = re.compile(r"/([\w./-]{1,100})\s{0,9}(?=\{|\Z)")
"""An intent that a button sends instead of words: `/greet`, `/inform{"cuisine": "thai"}`."""
_RESTART = "/restart"
_BEGIN = ("session_started", "restart")
_SILENT = ("action", "action_listen", *_BEGIN)


def fits(value: Any) -> bool:
    """Return whether a value is a tracker."""
    if not isinstance(value, Mapping) or "sender_id" not in value:
        return False
    events = loaded(value.get("events"))
    return isinstance(events, list) and all(isinstance(one, Mapping) and "event" in one for one in events)


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read trackers, a conversation a session."""
    for entry in entries:
        try:
            events = loaded(entry.value.get("events") if isinstance(entry.value, Mapping) else None)
            sessions = _sessions(need({"events": events}, "events", list))
        except UnreadableError as error:
            faults.append(Fault(entry.place, str(error)))
            continue
        for number, session in enumerate(sessions, 1):
            name = str(entry.value.get("sender_id", "")) + (f"-{number}" if len(sessions) > 1 else "")
            yield from attempt(entry.place, faults, _session, entry, session, name, wanted)


def _sessions(events: Sequence[Any]) -> list[list[Mapping[str, Any]]]:
    """The events of each session in which somebody speaks: a tracker goes on over days and over restarts."""
    sessions: list[list[Mapping[str, Any]]] = [[]]
    for event in events:
        if not isinstance(event, Mapping):
            raise UnreadableError("an event is no object")
        if event.get("event") in _BEGIN:
            sessions.append([])
        sessions[-1].append(event)
    heard = [session for session in sessions if any(map(_is_said, session))]
    return heard or [list(events)]


def _is_said(event: Mapping[str, Any]) -> bool:
    kind = str(event.get("event"))
    return kind in _SPEAKERS and not (kind == "user" and _is_command(event, first=True))


def _session(entry: Entry, events: Sequence[Mapping[str, Any]], name: str, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    said: list[Utterance] = []
    titles: dict[str, str] = {}
    for event in events:
        kind = str(event.get("event"))
        if kind == "user" and _is_command(event, first=not said):
            leftovers.count(f"messages {event['text']}")
        elif kind in _SPEAKERS:
            titles |= _titles(event)
            said.append(_utterance(event, leftovers, titles))
        elif kind == "action" and _runs_code(event):
            said.append(Utterance(Speaker.TOOL, None, parts=[tool_call(None, str(event.get("name")), None)]))
            leftovers.count_unread(event, (*_READ_OF_EVENTS, "name"), "events.")
        elif kind not in _SILENT:
            leftovers.count(f"events {kind}")
    return Conversation(
        entry.place, said, id=name or None, metadata=leftovers.keep(entry.value, _READ)
    ).imported(wanted, leftovers)


def _is_command(event: Mapping[str, Any], *, first: bool) -> bool:
    """Return whether a program sends this and not the user: a restart, or an intent such as `/greet` that opens a session."""
    text = str(event.get("text"))
    return text == _RESTART or (first and "{" not in text and _PAYLOAD.match(text) is not None)


def _titles(event: Mapping[str, Any]) -> dict[str, str]:
    """The titles of a reply's buttons by what they send."""
    data = event.get("data")
    buttons = data.get("buttons") if isinstance(data, Mapping) else None
    listed = [one for one in buttons if isinstance(one, Mapping)] if isinstance(buttons, list) else []
    return {
        str(one["payload"]): str(one["title"]) for one in listed if one.get("payload") and one.get("title")
    }


def _words(text: str, titles: Mapping[str, str]) -> str:
    """The words that stand for a payload: the button's title, else the values in it, else its intent."""
    found = _PAYLOAD.match(text)
    if found is None or text in titles:
        return titles.get(text, text)
    values = loaded(text[found.end() :] or "{}")
    if not isinstance(values, Mapping):
        return text
    return ", ".join(map(str, values.values())) or found[1].replace("_", " ")


def _runs_code(event: Mapping[str, Any]) -> bool:
    """Return whether an action is one of the assistant's own, no fixed reply and none of Rasa's."""
    name = str(event.get("name") or "")
    built_in = ("listen", "session_start", "restart", "default_fallback", "extract_slots")
    return name.startswith("action_") and name.removeprefix("action_") not in built_in


def _utterance(event: Mapping[str, Any], leftovers: Leftovers, titles: Mapping[str, str]) -> Utterance:
    given = event.get("data")
    data: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    cards = shown(data["elements"]) if data.get("elements") else None
    image = data.get("image")
    of_data = {
        name: part
        for name, part in data.items()
        if not (name == "elements" and cards) and not (name == "image" and image)
    }
    metadata = {
        **leftovers.keep(of_data, (), "messages.data."),
        **leftovers.keep({"metadata": event.get("metadata")}, (), "messages."),
        **leftovers.keep(event, _READ_OF_EVENTS, "messages."),
    }
    speaker = _SPEAKERS[str(event["event"])]
    text = event.get("text")
    text = text if isinstance(text, str) else ""
    words = _words(text, titles) if speaker is Speaker.USER else text
    if words != text:
        metadata["payload"] = text
    id_ = event.get("message_id")
    return Utterance(
        speaker,
        words,
        id=None if id_ is None else str(id_),
        created_at=as_time(event.get("timestamp")),
        recommendations=cards[0] if cards else None,
        items=cards[1] if cards else (),
        parts=[{"type": "image", "url": image}] if isinstance(image, str) else [],
        metadata=metadata,
    )
