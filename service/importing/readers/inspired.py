"""INSPIRED (Hayati et al. 2020): TSV files, each utterance a message; strategies are labels of messages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..format import refusing
from ..imported import Imported, Wanted, need
from ..rows import Group, groups, split_constant
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


def fits(value: Any) -> bool:
    """Return whether a row has INSPIRED's columns."""
    return (
        isinstance(value, Mapping)
        and {_KEY, "speaker", "text"} <= set(value)
        and not {*_LABELS}.isdisjoint(value)
    )


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read rows, brought together by their dialogue."""
    for group in groups(entries, faults, _check, _KEY):
        with refusing(group.place, faults):
            yield _conversation(group, wanted)


def _check(row: Mapping[str, Any]) -> None:
    speaker_of(need(row, "speaker", str))
    need(row, "text", str)


def _conversation(group: Group, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    constant, rows = split_constant(group.rows, _READ)
    labels = [{to: row[column] for column, to in _LABELS.items() if row.get(column)} for row in rows]
    case = next((str(row[name]) for row in rows for name in _CASES if row.get(name)), "")
    return Conversation(
        group.place,
        [_utterance(row, leftovers) for row in rows],
        id=group.name,
        marks=[(at, given) for at, given in enumerate(labels) if given],
        metadata=leftovers.keep(constant, _READ),
        fields={
            "system": "human",
            "domain": "movie",
            "outcome": {"accepted": case.startswith("accept")} if case else None,
        },
    ).imported(wanted, leftovers)


def _utterance(row: Mapping[str, Any], leftovers: Leftovers) -> Utterance:
    text = str(row.get("text", "")).replace(_QUOTE, '"')
    return Utterance(speaker_of(row["speaker"]), text, metadata=leftovers.keep(row, _READ, "messages."))
