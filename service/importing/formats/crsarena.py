"""CRSArena-Eval: dialogues of CRS Arena with aggregated labels of turns and of the whole."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import Format, Line, per_entry
from ..imported import Imported, UnreadableError, Wanted, fields_of, need
from ..talk.conversation import Conversation
from ..talk.labels import Label, as_score
from ..talk.leftovers import Leftovers
from ..talk.speakers import speaker_of
from ..talk.utterances import Utterance
from . import dialoguekit

RATER = "annotators"
_READ = ("conv_id", "dialogue", "dial_level_aggregated")
_READ_OF_MESSAGES = ("role", "utterance", "turn_ind", "turn_level_aggregated")
_SYSTEM = re.compile(r"(.{1,80})_[0-9a-f]{8}-[0-9a-f-]{1,50}")


def _fits(value: Any) -> bool:
    return isinstance(value, Mapping) and "conv_id" in value and "dialogue" in value


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value, leftovers = entry.value, Leftovers()
    if isinstance(value, Mapping) and "conversation ID" in value:
        return dialoguekit.read(entry, wanted)
    name, said = str(need(value, "conv_id", str)), need(value, "dialogue", list)
    found = _SYSTEM.fullmatch(name)
    return Conversation(
        entry.place,
        [_utterance(message, leftovers) for message in said],
        id=name,
        labels=_labels(value, said),
        metadata=leftovers.keep(value, _READ),
        fields={"system": found[1] if found else None, "domain": "movie"},
    ).imported(wanted, leftovers)


def _utterance(message: Any, leftovers: Leftovers) -> Utterance:
    return Utterance(
        speaker_of(need(message, "role", str)),
        need(message, "utterance", str),
        metadata=leftovers.keep(message, _READ_OF_MESSAGES, "messages."),
    )


def _labels(value: Mapping[str, Any], said: Sequence[Any]) -> Iterator[tuple[int | None, Label]]:
    for factor, score in fields_of(value.get("dial_level_aggregated"), "dial_level_aggregated").items():
        yield None, _label(factor, score)
    for index, message in enumerate(said):
        for factor, score in fields_of(message.get("turn_level_aggregated"), "turn_level_aggregated").items():
            yield index, _label(factor, score)


def _label(factor: str, value: Any) -> Label:
    score = as_score(value)
    if score is None:
        raise UnreadableError(f"{factor} is no number")
    return Label(factor, score, RATER)


def _sample(said: Sequence[Line]) -> str:
    dialogue = [
        {
            "turn_ind": number,
            "role": "USER" if role == "user" else "ASST",
            "utterance": text,
            **({} if role == "user" else {"turn_level_aggregated": {"relevance": 2, "interestingness": 1}}),
        }
        for number, (role, text) in enumerate(said)
    ]
    name = "oldcrs_redial_06c2c40a-921b-414a-85cc-2501469605cd"
    labels = {"understanding": 1, "dialogue_overall": 3}
    return json.dumps([{"conv_id": name, "dialogue": dialogue, "dial_level_aggregated": labels}])


FORMAT = Format(
    name="crsarena",
    reads="CRSArena-Eval with its labels of turns and of the whole; CRSArena-Dial as `dialoguekit` does",
    described="https://github.com/hideaki-j/crsarena-eval",
    fits=_fits,
    read=per_entry(_read),
    sample=_sample,
)
