"""OpenDialKG (Moon et al. 2019): CSV with a dialogue a row, its messages and steps in the graph as JSON."""

from collections.abc import Mapping
from typing import Any

from ..entries import Entry
from ..format import per_entry
from ..imported import Imported, UnreadableError, Wanted, need
from ..reading.tables import Row
from ..talk.conversation import Conversation
from ..talk.labels import Label, as_score
from ..talk.leftovers import Leftovers, as_text, loaded
from ..talk.speakers import speaker_of
from ..talk.utterances import Utterance

_RATINGS = {"User Rating": ("user_rating", "user"), "Assistant Rating": ("assistant_rating", "assistant")}
_READ = ("Messages", *_RATINGS)
_READ_OF_MESSAGES = ("type", "sender", "message")


def fits(value: Any) -> bool:
    """Return whether a row has OpenDialKG's columns."""
    return isinstance(value, Mapping) and "Messages" in value and not {*_RATINGS}.isdisjoint(value)


def _read(entry: Entry, wanted: Wanted) -> Imported:
    if isinstance(entry, Row) and entry.wrong:
        raise UnreadableError(entry.wrong)
    value, leftovers = entry.value, Leftovers()
    listed = loaded(need(value, "Messages", (str, list)))
    if not isinstance(listed, list):
        raise UnreadableError("Messages holds no list")
    said: list[Utterance] = []
    paths: dict[str, str] = {}
    for message in listed:
        if need(message, "type", str) == "chat":
            said.append(_utterance(message, paths, leftovers))
            paths = {}
        elif message["type"] == "action":
            paths |= _path(message, leftovers)
        else:
            leftovers.count(f"messages of type {message['type']}")
    labels = [
        (None, Label(factor, score, rater))
        for column, (factor, rater) in _RATINGS.items()
        if (score := as_score(value.get(column))) is not None
    ]
    metadata = {**leftovers.keep(value, _READ), **paths}
    return Conversation(
        entry.place, said, labels=labels, metadata=metadata, fields={"system": "human"}
    ).imported(wanted, leftovers)


def _utterance(message: Mapping[str, Any], paths: Mapping[str, str], leftovers: Leftovers) -> Utterance:
    kept = leftovers.keep(message, _READ_OF_MESSAGES, "messages.")
    speaker = speaker_of(need(message, "sender", str))
    return Utterance(speaker, need(message, "message", str), metadata={**paths, **kept})


def _path(message: Mapping[str, Any], leftovers: Leftovers) -> dict[str, str]:
    """A step in the graph, which leads to the message after it, as that message's metadata."""
    metadata = message.get("metadata")
    path = metadata.get("path") if isinstance(metadata, Mapping) else None
    if not isinstance(path, list):
        leftovers.count("steps in the graph without a path")
        return {}
    return leftovers.keep({"path": as_text(path)}, (), "messages.")


read = per_entry(_read)
