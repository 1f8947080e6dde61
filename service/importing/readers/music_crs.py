"""Music-CRS, the RecSys Challenge of 2026: sessions of TalkPlayData, in which the system plays a track and says why."""

from collections.abc import Mapping
from typing import Any

from ..entries import Entry, Json
from ..format import per_entry
from ..imported import Imported, UnreadableError, Wanted, need, objects
from ..talk.leftovers import Leftovers
from ..talk.threads import read_chat

_PROGRESS = {"MOVES_TOWARD_GOAL": 1.0, "DOES_NOT_MOVE_TOWARD_GOAL": 0.0}


def fits(value: Any) -> bool:
    """Return whether a value is a session of numbered turns."""
    turns = value.get("conversations") if isinstance(value, Mapping) else None
    return isinstance(turns, list) and bool(turns) and all(map(_is_turn, turns))


def _is_turn(turn: Any) -> bool:
    return isinstance(turn, Mapping) and {"role", "content", "turn_number"} <= turn.keys()


def _read(entry: Entry, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    value = dict(entry.value)
    labels = _progress(value.pop("goal_progress_assessments", None), leftovers)
    turns = need(entry.value, "conversations", list)
    messages: list[Json] = []
    track: Json = {}
    for turn in [*turns, {"role": "user", "content": ""}]:
        role, content = need(turn, "role", str), need(turn, "content", str)
        thought = turn.get("thought")
        said = {name: part for name, part in turn.items() if name not in ("turn_number", "thought")}
        if role == "music":
            shown = [*track.get("recommendations", ()), content]
            track |= {**said, "thought on the track": thought, "recommendations": shown}
            continue
        if role not in ("user", "assistant"):
            raise UnreadableError(f"no such role: {role[:40]!r}")
        if role == "assistant":
            number = str(turn.get("turn_number"))
            messages.append({**track, **said, "thought": thought, "labels": labels.pop(number, None)})
        else:
            if track:  # it was played without a word
                messages.append({**track, "role": "assistant", "content": ""})
            messages.append({**said, "thoughts": thought or None})
        track = {}
    leftovers.count("goal_progress_assessments of no reply", sum(map(len, labels.values())))
    rest = {name: part for name, part in value.items() if name not in ("conversations", "session_id")}
    around = {"domain": "music", "id": value.get("session_id"), **rest}
    return read_chat(entry.place, around, messages[:-1], wanted, leftovers)


def _progress(value: Any, leftovers: Leftovers) -> dict[str, list[Json]]:
    """By the number of each turn, whether its reply brought the listener nearer to the goal, as the simulated listener says."""
    found: dict[str, list[Json]] = {}
    for said in objects(value, "goal_progress_assessments"):
        read = ("turn_number", "goal_progress_assessment")
        leftovers.count_unread(said, read, "goal_progress_assessments.")
        score = _PROGRESS.get(str(said.get("goal_progress_assessment")))
        label = {"name": "goal_progress", "score": score, "rater": "listener", "kind": "judge"}
        if score is not None:
            found.setdefault(str(said.get("turn_number")), []).append(label)
        elif said.get("goal_progress_assessment") is not None:
            leftovers.count("goal_progress_assessments of no reply")
    return found


read = per_entry(_read)
