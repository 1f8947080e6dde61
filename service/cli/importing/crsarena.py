"""CRSArena-Eval (`conv_id`, `dialogue`, aggregated labels), and CRSArena-Dial's dialogues without labels."""

import re
from collections.abc import Iterator
from typing import Any

from ..inputs import Entry, Json
from .imported import Imported, Wanted, log_of, need, per_entry, rating, role_of, unread, unread_messages

RATER = "annotators"
_READ = ("conv_id", "dialogue", "dial_level_aggregated", "conversation ID", "conversation", "agent")
_READ_OF_MESSAGES = ("role", "participant", "utterance", "turn_ind", "turn_level_aggregated")
_SYSTEM = re.compile(r"(.{1,80})_[0-9a-f]{8}-[0-9a-f-]{1,50}")


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value = entry.value
    if isinstance(value, dict) and "conversation ID" in value:
        return _unlabelled(entry, wanted)
    name, said = str(need(value, "conv_id", str)), need(value, "dialogue", list)
    messages = [{"role": role_of(need(m, "role", str)), "content": need(m, "utterance", str)} for m in said]
    found = _SYSTEM.fullmatch(name)
    log = log_of(wanted, id=name, system=found[1] if found else None, domain="movie", messages=messages)
    left = unread(value, _READ) + unread_messages(said, _READ_OF_MESSAGES)
    return Imported(entry.place, log, list(_labels(name, value, said, log.get("system"))), left)


def _labels(name: str, value: Json, said: list[Any], system: str | None) -> Iterator[Json]:
    for factor, score in (value.get("dial_level_aggregated") or {}).items():
        yield rating(name, factor, score, RATER, system=system)
    for index, message in enumerate(said):
        for factor, score in (message.get("turn_level_aggregated") or {}).items():
            yield rating(name, factor, score, RATER, system=system, turn=index)


def _unlabelled(entry: Entry, wanted: Wanted) -> Imported:
    value = entry.value
    agent = value.get("agent")
    system = agent.get("id") if isinstance(agent, dict) else agent
    said = need(value, "conversation", list)
    messages = [
        {"role": role_of(need(m, "participant", str)), "content": need(m, "utterance", str)} for m in said
    ]
    name = str(value["conversation ID"])
    log = log_of(wanted, id=name, system=system, domain="movie", messages=messages)
    return Imported(entry.place, log, left=unread(value, _READ) + unread_messages(said, _READ_OF_MESSAGES))


read_crsarena = per_entry(_read)
