"""ConvApparel (Meshi et al. 2026): shoppers and an assistant that shows items, with ratings of turns and of the whole."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault, Json
from ..format import Format, Limit, Line, attempt
from ..imported import Imported, Wanted, need
from ..talk.conversation import Conversation
from ..talk.items import shown
from ..talk.labels import Label, as_score
from ..talk.leftovers import Leftovers
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance

RATER = "shopper"
_READ = ("task_id", "version", "turns", "ratings")
_READ_OF_TURNS = ("user_utterance", "assistant_utterance", "ratings", "recommendations")


def _fits(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("conversations"), list):
        return any(
            _fits(one) for one in value["conversations"][:3] if isinstance(one, Mapping) and "turns" in one
        )
    turns = value.get("turns")
    return (
        isinstance(turns, list)
        and bool(turns)
        and all(
            isinstance(turn, Mapping) and {"user_utterance", "assistant_utterance"} <= set(turn)
            for turn in turns
        )
    )


def _read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    for entry in entries:
        whole = isinstance(entry.value, Mapping) and isinstance(entry.value.get("conversations"), list)
        listed = entry.value["conversations"] if whole else [entry.value]
        for number, value in enumerate(listed):
            place = f"{entry.place}.conversations[{number}]" if whole else entry.place
            own = Entry(place, value)
            around = entry.value if whole and not number else {}
            yield from attempt(place, faults, _conversation, own, number, around, wanted)


def _conversation(entry: Entry, number: int, around: Mapping[str, Any], wanted: Wanted) -> Imported:
    """The `number`th conversation of a file. What the file says around them, the questions and instructions, is counted once."""
    value, leftovers = entry.value, Leftovers()
    leftovers.count_unread(around, ("conversations",), "file.")
    turns = need(value, "turns", list)
    said: list[Utterance] = []
    labels: list[tuple[int | None, Label]] = []
    metadata = leftovers.keep(value, (*_READ[2:],))
    metadata |= _rated(value.get("ratings"), None, labels, leftovers)
    for turn in turns:
        said.append(Utterance(Speaker.USER, need(turn, "user_utterance", str)))
        notes = _rated(turn.get("ratings"), len(said), labels, leftovers)
        said.append(_reply(turn, notes, leftovers))
    name = f"{value.get('task_id', 'conversation')}-{number}"
    return Conversation(
        entry.place, said, id=name, labels=labels, metadata=metadata, fields={"domain": "shopping"}
    ).imported(wanted, leftovers)


def _reply(turn: Json, notes: Mapping[str, str], leftovers: Leftovers) -> Utterance:
    listed = turn.get("recommendations") or []
    found = shown(listed)
    if found is None:
        leftovers.count("recommendations without an id or a title")
    return Utterance(
        Speaker.ASSISTANT,
        need(turn, "assistant_utterance", str),
        recommendations=found[0] if found and listed else None,
        items=found[1] if found else (),
        metadata={**leftovers.keep(turn, _READ_OF_TURNS, "turns."), **notes},
    )


def _rated(
    ratings: Any, position: int | None, labels: list[tuple[int | None, Label]], leftovers: Leftovers
) -> dict[str, str]:
    """Add the answers that are numbers to the labels. Returns the others by their questions."""
    others = {}
    for question, answer in ratings.items() if isinstance(ratings, Mapping) else ():
        score = as_score(answer)
        if score is None:
            others[str(question)] = answer
        else:
            labels.append((position, Label(str(question), score, RATER)))
    return leftovers.keep(others, (), "ratings.")


def _sample(said: Sequence[Line]) -> str:
    item = {
        "item_id": "B01",
        "title": "Wool coat",
        "description": "A long coat",
        "features": ["wool", "grey"],
        "image_url": "https://shop.example/1.png",
    }
    turns = [
        {
            "user_utterance": question[1],
            "assistant_utterance": answer[1],
            "ratings": {"satisfaction": 4},
            "recommendations": [item],
        }
        for question, answer in zip(said[::2], said[1::2], strict=True)
    ]
    metadata = {
        "questions": {"1": {"overall": "How was it?"}},
        "instructions": {"outerwear": "Buy a coat."},
        "tasks": ["outerwear"],
    }
    conversation = {
        "task_id": "outerwear",
        "version": "1",
        "ratings": {"overall": 5, "comment": "fine"},
        "turns": turns,
    }
    return json.dumps({"metadata": metadata, "conversations": [conversation]})


FORMAT = Format(
    name="convapparel",
    reads=(
        "ConvApparel's JSON: items by their ids with title, description and features; ratings of turns and of the whole are labels, answers "
        "in words metadata"
    ),
    described="https://huggingface.co/datasets/google/ConvApparel",
    fits=_fits,
    read=_read,
    sample=_sample,
    limits=frozenset({Limit.IN_TURNS}),
)
