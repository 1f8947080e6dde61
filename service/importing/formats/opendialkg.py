"""OpenDialKG (Moon et al. 2019): CSV with a dialogue a row, its messages and steps in the graph as JSON."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import Format, Line, per_entry
from ..imported import Imported, UnreadableError, Wanted, need
from ..reading.documents import Kind
from ..reading.tables import Row
from ..talk.conversation import Conversation
from ..talk.labels import Label, as_score
from ..talk.leftovers import Leftovers, as_text, loaded
from ..talk.speakers import speaker_of
from ..talk.utterances import Utterance

_RATINGS = {"User Rating": ("user_rating", "user"), "Assistant Rating": ("assistant_rating", "assistant")}
_READ = ("Messages", *_RATINGS)
_READ_OF_MESSAGES = ("type", "sender", "message")


def _fits(value: Any) -> bool:
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


def _sample(said: Sequence[Line]) -> str:
    messages: list[dict[str, Any]] = []
    for role, text in said:
        if role == "assistant":
            path = [0.5, [["Paper Lanterns", "has_genre", "Drama"]], "Paper Lanterns -> Drama"]
            messages.append({"type": "action", "sender": "assistant", "metadata": {"path": path}})
        messages.append({"type": "chat", "sender": role, "message": text})
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(["Messages", "User Rating", "Assistant Rating"])
    table.writerow([json.dumps(messages), 4, 5])
    return written.getvalue()


FORMAT = Format(
    name="opendialkg",
    reads="OpenDialKG's CSV; steps in the graph stand in the metadata of the message they led to; both ratings are labels",
    described="https://github.com/facebookresearch/opendialkg",
    fits=_fits,
    read=per_entry(_read),
    sample=_sample,
    kinds=(Kind.TABLE, Kind.JSON),
)
