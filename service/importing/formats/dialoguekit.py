"""DialogueKit's dialogues, as UserSimCRS and CRS Arena write them; CRSArena-Dial is released so."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import Format, Line, per_entry
from ..imported import Imported, Wanted, need
from ..talk.conversation import Conversation
from ..talk.labels import Label
from ..talk.leftovers import Leftovers
from ..talk.messages import read_messages

IDS = ("conversation ID", "conversation_id")
_READ = (*IDS, "conversation", "agent")
_SENTIMENTS = {"satisfied": 1.0, "frustrated": 0.0}


def fits(value: Any) -> bool:
    """Return whether this is a dialogue of DialogueKit: participants with utterances under a conversation's id."""
    if not isinstance(value, Mapping) or not isinstance(value.get("conversation"), list):
        return False
    first = next(iter(value["conversation"]), None)
    return "conversation ID" in value or (
        isinstance(first, Mapping) and {"participant", "utterance"} <= set(first)
    )


def read(entry: Entry, wanted: Wanted) -> Imported:
    """One dialogue, with feedback on utterances and the user's sentiment as labels."""
    value, leftovers = entry.value, Leftovers()
    said = read_messages(need(value, "conversation", list), leftovers)
    agent = value.get("agent")
    system = agent.get("id") if isinstance(agent, Mapping) else agent
    metadata = leftovers.keep(value, _READ)
    metadata |= leftovers.keep(agent, ("id", "type"), "agent.") if isinstance(agent, Mapping) else {}
    sentiment = _SENTIMENTS.get(str(metadata.get("sentiment", "")).casefold())
    if sentiment is not None:
        del metadata["sentiment"]
    name = next((value[field] for field in IDS if value.get(field) is not None), None)
    return Conversation(
        entry.place,
        said,
        id=None if name is None else str(name),
        labels=[] if sentiment is None else [(None, Label("satisfied", sentiment, "user"))],
        metadata=metadata,
        fields={"system": None if system is None else str(system)},
    ).imported(wanted, leftovers)


def _sample(said: Sequence[Line]) -> str:
    name = "ourcrs_redial_06c2c40a-921b-414a-85cc-2501469605cd"
    utterances: list[dict[str, Any]] = [
        {
            "participant": "USER" if role == "user" else "AGENT",
            "utterance": text,
            "utterance ID": f"{name}_{number}",
            "dialogue_acts": [{"intent": "DISCLOSE", "slot_values": [["GENRE", "drama", None, None]]}],
            **({} if role == "user" else {"utterance_feedback": 1}),
        }
        for number, (role, text) in enumerate(said)
    ]
    dialogue = {
        "conversation ID": name,
        "agent": {"id": "ourcrs_redial", "type": "AGENT"},
        "user": {"id": "06c2c40a-921b-414a-85cc-2501469605cd", "type": "USER"},
        "conversation": utterances,
        "metadata": {"sentiment": "frustrated"},
    }
    return json.dumps([dialogue])


FORMAT = Format(
    name="dialoguekit",
    reads=(
        "DialogueKit's dialogues (UserSimCRS, CRS Arena), CRSArena-Dial among them; feedback on utterances and the user's sentiment "
        "are labels"
    ),
    described="https://github.com/iai-group/DialogueKit/blob/main/dialoguekit/core/dialogue.py",
    fits=fits,
    read=per_entry(read),
    sample=_sample,
)
