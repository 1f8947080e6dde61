"""Assemble what a format has read of one conversation as a log with its labels beside it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from ..entries import Json
from ..imported import Imported, UnreadableError, Wanted
from .labels import Label, mapped
from .leftovers import Leftovers
from .utterances import Utterance, merged_items, messages_of


@dataclass
class Conversation:
    """One conversation as a format reads it. `fields` are those of a log, under a log's names; None is left out, and the
    `message` of an outcome is the position of an utterance.

    `labels` are those beside the utterances' own: by the position of an utterance, or None for the whole."""

    place: str
    said: Sequence[Utterance]
    id: str | None = None
    history: Sequence[Utterance] = ()
    labels: Iterable[tuple[int | None, Label]] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    items: Sequence[Json] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    marks: Iterable[tuple[int, Json]] = ()
    """People's notes on an utterance in words, as strategies: lines of labels that are no ratings."""

    def imported(self, wanted: Wanted, leftovers: Leftovers) -> Imported:
        """The log and its labels. Raises UnreadableError where nobody says anything."""
        talk = messages_of(self.said, leftovers)
        if not talk.messages:
            raise UnreadableError("no messages")
        earlier = messages_of(self.history, leftovers.of_history())
        metadata = dict(self.metadata)
        labels = [*self.labels, *((at, label) for at, one in enumerate(self.said) for label in one.labels)]
        labels += [(None, label) for label in mapped(metadata)]
        for at, message in talk.indices.items():
            held = talk.messages[message].get("metadata", {})
            labels += [(at, label) for label in mapped(held)]
            if not held:
                talk.messages[message].pop("metadata", None)
        marks = [(talk.indices[at], mark) for at, mark in self.marks if at in talk.indices]
        outcome = self.fields.get("outcome")
        name = self.id if self.id or not (labels or marks) else PurePath(self.place).name
        system = wanted.system or self.fields.get("system")
        given = {
            "id": name,
            **self.fields,
            "system": system,
            "domain": wanted.domain or self.fields.get("domain"),
            "history": earlier.messages,
            "messages": talk.messages,
            "items": merged_items([*self.items, *earlier.items, *talk.items]),
            "metadata": metadata,
        }
        if outcome:  # its message is one of the log, or none
            at_message = outcome.get("message")
            place = talk.indices.get(at_message) if isinstance(at_message, int) else None
            known = {} if place is None else {"message": place}
            given["outcome"] = {"accepted": outcome["accepted"], **known}
        log = {key: value for key, value in given.items() if value not in (None, [], {})}
        rows = [
            _row(str(name), label, None if position is None else talk.indices.get(position), system)
            for position, label in labels
        ]
        rows += [{"conversation": str(name), "message": at, **mark} for at, mark in marks]
        return Imported(self.place, log, rows, leftovers.left)


def _row(conversation: str, label: Label, turn: int | None, system: str | None) -> Json:
    """A label as `crs-eval agreement` reads it."""
    row = {
        "conversation": conversation,
        "factor": label.factor,
        "rater": label.rater,
        "kind": label.kind,
        "score": label.score,
        "system": system,
        "turn": turn,
    }
    return {key: value for key, value in row.items() if value is not None}
