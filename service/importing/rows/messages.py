"""Conversations out of rows that hold a message each, in a table or as lines of JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..format import attempt
from ..imported import Imported, UnreadableError, Wanted
from ..reading.suggestion import conversations_by
from ..talk import items, messages, speakers, times
from ..talk.conversation import Conversation
from ..talk.labels import MAPPED, PEOPLE, Label, as_score, labels_in
from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import is_message, read_messages
from ..talk.speakers import named_speaker, speaker_field
from .groups import ORDERS, Group, are_named, groups, split_constant

_OF_LOGS = ("system", "domain", "rater")
_OF_MESSAGES = (*messages.TEXTS, *speakers.FIELDS, *items.FIELDS, *times.FIELDS, "id", "name", "thoughts")
"""Fields that belong to each message, though all say the same."""


def read_rows(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """The conversations in rows; `label:<factor>` and fields that are named as labels are labels. They are of the whole where
    they say the same in all rows or stand in one."""
    if not wanted.whole_files and (column := _unnamed(entries)):
        told = (
            f"its column {column} seems to name conversations. Say so by --map conversation={column}, or that the file is one "
            "conversation by --one-file-one-conversation"
        )
        faults.append(Fault(entries[0].place, told))
        return
    for group in groups(entries, faults, _check):
        yield from attempt(group.place, faults, _conversation, group, wanted, faults)


def _unnamed(entries: Sequence[Entry]) -> str | None:
    """The column that parts these rows into conversations, where none has a name that says so."""
    rows = [entry.value for entry in entries if isinstance(entry.value, Mapping)]
    if are_named(entries) or not rows:
        return None
    others = {
        name: [str(row.get(name)) for row in rows]
        for name, value in rows[0].items()
        if name not in _OF_MESSAGES and isinstance(value, str | int) and not isinstance(value, bool)
    }
    return conversations_by(others, [named_speaker(row) or "" for row in rows])


def _conversation(group: Group, wanted: Wanted, faults: list[Fault]) -> Imported:
    leftovers = Leftovers()
    rows = [_own(row, group.key) for row in group.rows]
    labels = list(_labels(group.rows, group.place, faults))
    constant, rows = split_constant(rows, _OF_MESSAGES)
    return Conversation(
        group.place,
        read_messages(rows, leftovers),
        id=group.name,
        labels=labels,
        metadata=leftovers.keep(constant, ()),
        fields={
            name: next((str(row[name]) for row in group.rows if row.get(name)), None) for name in _OF_LOGS[:2]
        },
    ).imported(wanted, leftovers)


def _check(row: Mapping[str, Any]) -> None:
    if not is_message(row):
        raise UnreadableError(f"no message; its fields are {', '.join(map(str, list(row)[:12]))}")


def _own(row: Mapping[str, Any], key: str | None) -> dict[str, Any]:
    """Return what a row says of its message: without its conversation, its number and what is labels."""
    _, of_labels = labels_in(row)
    others = {key, *ORDERS, *_OF_LOGS, *of_labels}
    return {
        name: loaded(value) if name in ("tool_calls", "parts") else value
        for name, value in row.items()
        if (name not in others or name == speaker_field(row)) and not name.startswith(MAPPED) and value != ""
    } | {name: row[name] for name in ("content", "text") if row.get(name) == ""}


def _labels(
    rows: Sequence[Mapping[str, Any]], place: str, faults: list[Fault]
) -> Iterator[tuple[int | None, Label]]:
    """The labels of all columns, each of the whole conversation where one row has it, or all rows the same."""
    found: dict[str, list[tuple[int, Label]]] = {}
    for at, row in enumerate(rows):
        rater = str(row.get("rater") or "") or PEOPLE
        named, _ = labels_in(row)
        for label in [*named, *_columns(row, at, place, faults)]:
            known = label._replace(rater=rater) if label.rater == PEOPLE else label
            found.setdefault(f"{label.factor}\0{known.rater}", []).append((at, known))
    for labels in found.values():
        alike = len(labels) == len(rows) and len({label.score for _, label in labels}) == 1
        whole = len(labels) == 1 or alike
        yield from [(None, labels[0][1])] if whole else labels


def _columns(row: Mapping[str, Any], at: int, place: str, faults: list[Fault]) -> Iterator[Label]:
    for name, value in row.items():
        if not name.startswith(MAPPED) or value in (None, ""):
            continue
        score = as_score(value)
        if score is None:
            faults.append(Fault(place, f"{name} of message {at} is no number: {str(value)[:40]!r}"))
        else:
            yield Label(name.removeprefix(MAPPED), score)
