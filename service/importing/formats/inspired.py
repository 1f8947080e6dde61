"""INSPIRED (Hayati et al. 2020): TSV files, each utterance a message; strategies are labels of messages."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..format import Format, Limit, Line, attempt
from ..imported import Imported, Wanted, need
from ..reading.documents import Kind
from ..rows.groups import Group, groups, split_constant
from ..talk.conversation import Conversation
from ..talk.leftovers import Leftovers
from ..talk.speakers import speaker_of
from ..talk.utterances import Utterance

_KEY = "dialog_id"
# The release has other names for two columns than its own description.
_LABELS = {"first_label": "strategy", "expert_label": "strategy", "second_label": "second_strategy"}
_CASES = ("case", "fine_label")
_READ = (_KEY, "speaker", "text", "turn_id", "utt_id", *_LABELS, *_CASES)
_QUOTE = "QUOTATION_MARK"


def _fits(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and {_KEY, "speaker", "text"} <= set(value)
        and not {*_LABELS}.isdisjoint(value)
    )


def _read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    for group in groups(entries, faults, _check, _KEY):
        yield from attempt(group.place, faults, _conversation, group, wanted)


def _check(row: Mapping[str, Any]) -> None:
    speaker_of(need(row, "speaker", str))
    need(row, "text", str)


def _conversation(group: Group, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    constant, rows = split_constant(group.rows, _READ)
    case = next((str(row[name]) for row in rows for name in _CASES if row.get(name)), "")
    return Conversation(
        group.place,
        [_utterance(row, leftovers) for row in rows],
        id=group.name,
        marks=[(at, given) for at, row in enumerate(rows) if (given := _given(row))],
        metadata=leftovers.keep(constant, _READ),
        fields={
            "system": "human",
            "domain": "movie",
            "outcome": {"accepted": case.startswith("accept")} if case else None,
        },
    ).imported(wanted, leftovers)


def _given(row: Mapping[str, Any]) -> dict[str, str]:
    return {to: row[column] for column, to in _LABELS.items() if row.get(column)}


def _utterance(row: Mapping[str, Any], leftovers: Leftovers) -> Utterance:
    text = str(row.get("text", "")).replace(_QUOTE, '"')
    return Utterance(speaker_of(row["speaker"]), text, metadata=leftovers.keep(row, _READ, "messages."))


def _sample(said: Sequence[Line]) -> str:
    written = io.StringIO()
    table = csv.writer(written, delimiter="\t", lineterminator="\n")
    table.writerow(
        [
            "dialog_id",
            "utt_id",
            "speaker",
            "turn_id",
            "text",
            "movies",
            "expert_label",
            "second_label",
            "fine_label",
        ]
    )
    for number, (role, text) in enumerate(said):
        speaker, strategy = ("SEEKER", "") if role == "user" else ("RECOMMENDER", "encouragement")
        table.writerow(
            [
                "d1",
                number,
                speaker,
                number // 2,
                text,
                "Paper Lanterns (2009)",
                strategy,
                "",
                "accept_rating_good",
            ]
        )
    return written.getvalue()


FORMAT = Format(
    name="inspired",
    reads=(
        "INSPIRED's TSV, as described (`first_label`, `case`) and as released (`expert_label`, `fine_label`); strategies are labels"
    ),
    described="https://github.com/sweetpeach/Inspired",
    fits=_fits,
    read=_read,
    sample=_sample,
    kinds=(Kind.TABLE, Kind.JSON),
    limits=frozenset({Limit.ONE_LINE}),
)
