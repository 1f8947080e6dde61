"""Music-CRS, the RecSys Challenge of 2026: sessions of TalkPlayData, in which the system plays a track and says why."""

from collections.abc import Mapping
from typing import Any

from ..entries import Entry
from ..format import per_entry
from ..imported import Imported, UnreadableError, Wanted, need, objects
from ..talk.conversation import Conversation
from ..talk.labels import Label
from ..talk.leftovers import Leftovers
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance

_READ = ("session_id", "conversations", "goal_progress_assessments")
_READ_OF_TURNS = ("role", "content", "turn_number", "thought")
_PROGRESS = {"MOVES_TOWARD_GOAL": 1.0, "DOES_NOT_MOVE_TOWARD_GOAL": 0.0}


def fits(value: Any) -> bool:
    """Return whether a value is a session of numbered turns."""
    turns = value.get("conversations") if isinstance(value, Mapping) else None
    return isinstance(turns, list) and bool(turns) and all(map(_is_turn, turns))


def _is_turn(turn: Any) -> bool:
    return isinstance(turn, Mapping) and {"role", "content", "turn_number"} <= turn.keys()


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value, leftovers = entry.value, Leftovers()
    said: list[Utterance] = []
    turns: dict[str, int] = {}
    tracks: list[str] = []
    notes: dict[str, str] = {}
    silence = {"role": "user", "content": ""}
    for turn in [*need(value, "conversations", list), silence]:
        role, content = need(turn, "role", str), need(turn, "content", str)
        thought = turn.get("thought") if isinstance(turn.get("thought"), str) and turn["thought"] else None
        kept = leftovers.keep(turn, _READ_OF_TURNS, "conversations.")
        if role == "music":
            tracks.append(content)
            notes |= {**kept, **({"thought on the track": thought} if thought else {})}
            continue
        if role not in ("user", "assistant"):
            raise UnreadableError(f"no such role: {role[:40]!r}")
        if role == "assistant":
            notes |= {**kept, **({"thought": thought} if thought else {})}
            turns[str(turn.get("turn_number"))] = len(said)
        if role == "assistant" or tracks:  # a track may be played without a word
            reply = content if role == "assistant" else ""
            said.append(Utterance(Speaker.ASSISTANT, reply, recommendations=tracks or None, metadata=notes))
        if role == "user" and turn is not silence:
            said.append(Utterance(Speaker.USER, content, thoughts=thought, metadata=kept))
        tracks, notes = [], {}
    name = value.get("session_id")
    return Conversation(
        entry.place,
        said,
        id=None if name is None else str(name),
        labels=_progress(value, turns, leftovers),
        metadata=leftovers.keep(value, _READ),
        fields={"domain": "music"},
    ).imported(wanted, leftovers)


def _progress(
    value: Mapping[str, Any], turns: Mapping[str, int], leftovers: Leftovers
) -> list[tuple[int | None, Label]]:
    """Return whether each reply brought the listener nearer to the goal, as the simulated listener says of
    the turn."""
    found: list[tuple[int | None, Label]] = []
    for said in objects(value.get("goal_progress_assessments"), "goal_progress_assessments"):
        read = ("turn_number", "goal_progress_assessment")
        leftovers.count_unread(said, read, "goal_progress_assessments.")
        score = _PROGRESS.get(str(said.get("goal_progress_assessment")))
        position = turns.get(str(said.get("turn_number")))
        if score is not None and position is not None:
            found.append((position, Label("goal_progress", score, "listener", "judge")))
        elif said.get("goal_progress_assessment") is not None:
            leftovers.count("goal_progress_assessments of no reply")
    return found


read = per_entry(_read)
