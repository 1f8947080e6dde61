"""MultiWOZ 2.0 and 2.1 (Budzianowski et al. 2018): one object, `{name: {goal, log: [{text, metadata}]}}`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..format import Format, Limit, Line, attempt
from ..imported import Imported, Wanted, need
from ..talk.conversation import Conversation
from ..talk.leftovers import Leftovers
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance

_READ_OF_TURNS = ("text",)


def _fits(value: Any) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    return _is_dialogue(value) or all(_is_dialogue(one) for one in list(value.values())[:20])


def _is_dialogue(value: Any) -> bool:
    log = value.get("log") if isinstance(value, Mapping) else None
    return (
        isinstance(log, list)
        and bool(log)
        and "goal" in value
        and all(isinstance(one, Mapping) and "text" in one for one in log)
    )


def _read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    for entry in entries:
        alone = _is_dialogue(entry.value) or not isinstance(entry.value, Mapping)
        named = [(None, entry.value)] if alone else list(entry.value.items())
        for name, value in named:
            place = entry.place if name is None else f"{entry.place}.{name}"
            yield from attempt(place, faults, _dialogue, place, name, value, wanted)


def _dialogue(place: str, name: str | None, value: Any, wanted: Wanted) -> Imported:
    """A dialogue: the user speaks first, then both in turn; belief states stand at the system's turns."""
    leftovers = Leftovers()
    log = need(value, "log", list)
    own = name if name is not None else value.get("dialogue_id", value.get("id"))
    said = [
        Utterance(
            Speaker.ASSISTANT if at % 2 else Speaker.USER,
            need(turn, "text", str),
            metadata={
                **leftovers.keep(turn, (*_READ_OF_TURNS, "metadata"), "log."),
                **leftovers.keep({"belief_state": turn.get("metadata")}, (), "log."),
            },
        )
        for at, turn in enumerate(log)
    ]
    return Conversation(
        place,
        said,
        id=None if own is None else str(own).removesuffix(".json"),
        metadata=leftovers.keep(value, ("log", "dialogue_id", "id")),
    ).imported(wanted, leftovers)


def _sample(said: Sequence[Line]) -> str:
    log = [
        {
            "text": text,
            "metadata": {"hotel": {"semi": {"area": "north"}}} if role == "assistant" else {},
            "dialog_act": {"Hotel-Inform": [["Area", "north"]]},
        }
        for role, text in said
    ]
    return json.dumps({"SNG0001.json": {"goal": {"hotel": {"info": {"area": "north"}}}, "log": log}})


FORMAT = Format(
    name="multiwoz",
    reads="MultiWOZ 2.0 and 2.1 (`data.json`); belief states and dialogue acts are metadata; 2.2 is read by `sgd`",
    described="https://github.com/budzianowski/multiwoz",
    fits=_fits,
    read=_read,
    sample=_sample,
    limits=frozenset({Limit.IN_TURNS}),
)
