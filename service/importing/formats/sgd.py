"""Schema-Guided Dialogue (Rastogi et al. 2020), and MultiWOZ 2.2, which is written so."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Json
from ..format import Format, Line, per_entry
from ..imported import Imported, Wanted, need, objects
from ..talk.conversation import Conversation
from ..talk.leftovers import Leftovers
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import speaker_of
from ..talk.utterances import Utterance

_READ = ("dialogue_id", "turns")
_READ_OF_TURNS = ("speaker", "utterance", "turn_id", "frames")
_OF_CALLS = ("service_call", "service_results")


def _fits(value: Any) -> bool:
    turns = value.get("turns") if isinstance(value, Mapping) else None
    return (
        isinstance(turns, list)
        and bool(turns)
        and "dialogue_id" in value
        and all(isinstance(turn, Mapping) and {"speaker", "utterance"} <= set(turn) for turn in turns)
    )


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value, leftovers = entry.value, Leftovers()
    turns = need(value, "turns", list)
    return Conversation(
        entry.place,
        [_utterance(turn, at, leftovers) for at, turn in enumerate(turns)],
        id=str(need(value, "dialogue_id", (str, int))),
        metadata=leftovers.keep(value, _READ),
    ).imported(wanted, leftovers)


def _utterance(turn: Any, at: int, leftovers: Leftovers) -> Utterance:
    speaker = speaker_of(need(turn, "speaker", str))
    frames = objects(turn.get("frames"), "frames")
    rest = [{name: part for name, part in frame.items() if name not in _OF_CALLS} for frame in frames]
    id_ = turn.get("turn_id")
    return Utterance(
        speaker,
        need(turn, "utterance", str),
        id=None if id_ is None else str(id_),
        parts=list(_calls(frames, at, leftovers)),
        metadata={
            **leftovers.keep(turn, _READ_OF_TURNS, "turns."),
            **leftovers.keep({"frames": [frame for frame in rest if frame]}, (), "turns."),
        },
    )


def _calls(frames: Sequence[Mapping[str, Any]], at: int, leftovers: Leftovers) -> Iterator[Json]:
    """The calls that a turn of the system rests on, with their results."""
    for number, frame in enumerate(frames):
        call = frame.get("service_call")
        if isinstance(call, Mapping):
            leftovers.count_unread(call, ("method", "parameters"), "service_call.")
            id_ = f"turn-{at}-{number}"
            yield tool_call(
                id_, str(call.get("method") or frame.get("service") or "service"), call.get("parameters")
            )
            if frame.get("service_results") is not None:
                yield tool_result(id_, frame["service_results"])


def _sample(said: Sequence[Line]) -> str:
    turns: list[dict[str, Any]] = []
    for role, text in said:
        frame: dict[str, Any] = {
            "service": "Media_1",
            "slots": [],
            "actions": [{"act": "INFORM", "slot": "genre", "values": ["drama"]}],
        }
        if role == "assistant":
            frame["service_call"] = {"method": "FindMovies", "parameters": {"genre": "drama"}}
            frame["service_results"] = [{"title": "Paper Lanterns (2009)"}]
        turns.append(
            {"speaker": "USER" if role == "user" else "SYSTEM", "utterance": text, "frames": [frame]}
        )
    return json.dumps([{"dialogue_id": "1_00000", "services": ["Media_1"], "turns": turns}])


FORMAT = Format(
    name="sgd",
    reads=(
        "Schema-Guided Dialogue and MultiWOZ 2.2 (`dialogue_id`, `turns`); `service_call` and `service_results` stand as calls of tools, "
        "what else is annotated as metadata"
    ),
    described="https://github.com/google-research-datasets/dstc8-schema-guided-dialogue",
    fits=_fits,
    read=per_entry(_read),
    sample=_sample,
)
