"""Rows or lines that hold a question and its answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..entries import Entry, Fault
from ..imported import Imported, UnreadableError, Wanted, refusing
from ..model_calls import exchanges
from ..model_calls.calls import dated, without
from ..talk.items import FIELDS, shown
from ..talk.labels import Label, labels_in
from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import is_message, read_messages
from ..talk.speakers import Speaker
from ..talk.threads import HISTORIES, LISTS, is_thread, thread
from ..talk.times import ORDERS, as_time, time_field
from ..talk.utterances import Conversation, Utterance
from .rows import KEYS, OF_LOGS, Group, are_named, by_letters, groups, spelt


def _earlier(row: Mapping[str, Any], leftovers: Leftovers) -> tuple[str | None, list[Utterance]]:
    """The field of what was said before the question, and its messages: messages, pairs, questions with answers, or a transcript.
    A `context` may hold documents, so only messages are read from it."""
    for name in (*HISTORIES, "messages"):
        held = loaded(row.get(name))
        if name != "context" and isinstance(held, str) and (said := exchanges.of_transcript(held)):
            return name, said
        if name != "context" and isinstance(held, list):
            held = [message for one in held for message in _as_messages(one)]
        if isinstance(held, list) and is_thread(held):
            return name, read_messages(held, leftovers)
    return None, []


def _as_messages(value: Any) -> list[Any]:
    """A question with its answer as two messages; any other value as it is."""
    if isinstance(value, Mapping) and not is_message(value) and (pair := exchanges.asks(value)):
        value = [value[name] for name in pair]
    match value:
        case [str() | None, str() | None] if not is_message(value):
            both = zip(("user", "assistant"), value, strict=True)
            return [{"role": role, "content": text} for role, text in both if text]
    return [value]


_KNOWN = by_letters((*exchanges.INPUTS, *exchanges.OUTPUTS, *HISTORIES, *KEYS, *ORDERS))


def fits(value: Any) -> bool:
    """Return whether a value is a question with its answer, or holds a list of them."""
    value = spelt(value, _KNOWN) if isinstance(value, Mapping) else value
    return isinstance(value, Mapping) and (exchanges.asks(value) is not None or _list(value) is not None)


def _list(value: Any) -> str | None:
    """The field of a conversation that holds its questions with their answers; None where none does."""
    for name in LISTS if isinstance(value, Mapping) else ():
        rows = None if name in HISTORIES and exchanges.asks(value) else value.get(name)
        if (
            isinstance(rows, list)
            and rows
            and all(isinstance(row, Mapping) and exchanges.asks(row) for row in rows)
        ):
            return name
    return None


def _check(row: Mapping[str, Any]) -> None:
    if exchanges.asks(row) is None:
        raise UnreadableError(
            f"no question with an answer; its fields are {', '.join(map(str, list(row)[:12]))}"
        )


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read lists of questions with answers, and rows, brought together where they name their conversation."""
    rows = []
    for entry in entries:
        if (field := _list(entry.value)) is None:
            rows.append(
                replace(entry, value=spelt(entry.value, _KNOWN))
                if isinstance(entry.value, Mapping)
                else entry
            )
            continue
        with refusing(entry.place, faults):
            yield _of_list(entry, field, wanted)
    ids = [str(row.value["id"]) for row in rows if isinstance(row.value, Mapping) and row.value.get("id")]
    if len({*ids}) < len(ids) and not are_named(rows) and not wanted.whole_files:
        detail = (
            "its field id seems to name conversations, since it comes again. Say so by --map conversation=id"
        )
        faults.append(Fault(rows[0].place, detail))
        return
    together = are_named(rows) or wanted.whole_files
    if not together and len(rows) > 1 and any(_is_half(row.value) for row in rows):
        detail = "its rows hold a question or an answer, and nothing names their conversations. Name the column by --map conversation=COLUMN, or add --one-file-one-conversation"
        faults.append(Fault(rows[0].place, detail))
        return
    for part in [rows] if together else [[row] for row in rows]:
        for group in groups(part, faults, _check):
            with refusing(group.place, faults):
                yield _conversation(group, wanted)


def _is_half(row: Any) -> bool:
    """Return whether a row holds an answer without its question, which stands in a row before it."""
    pair = exchanges.asks(row) if isinstance(row, Mapping) else None
    return pair is not None and not row[pair[0]] and bool(row[pair[1]])


def _of_list(entry: Entry, field: str, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    said: list[Utterance] = []
    for row in entry.value[field]:
        said.extend(_said(row, None, set(), leftovers, said))
    rest = {name: part for name, part in entry.value.items() if name != field}
    return thread(entry.place, rest, said, leftovers).imported(wanted, leftovers)


def _conversation(group: Group, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    said: list[Utterance] = []
    labels: list[tuple[int | None, Label]] = []
    halves = len(group.rows) > 1 and any(map(_is_half, group.rows))
    for row in group.rows:
        of_row, label_fields = labels_in(row)
        new = _said(row, group.key, label_fields, leftovers, said)
        said.extend(one for one in new if not halves or one.content != "" or one.recommendations)
        labels.extend((len(said) - 1 if len(group.rows) > 1 else None, label) for label in of_row)
    own = group.rows[0].get("id") if len(group.rows) == 1 else None
    name = group.name or (str(own) if own else None)
    return Conversation(group.place, said, id=name, labels=labels, fields=group.fields).imported(
        wanted, leftovers
    )


def _said(
    row: Mapping[str, Any],
    key: str | None,
    label_fields: set[str],
    leftovers: Leftovers,
    said: Sequence[Utterance] = (),
) -> list[Utterance]:
    """Return what a row adds to what was said before it."""
    asked, answered = exchanges.asks(row) or ("", "")
    time = time_field(row)
    field = next((name for name in FIELDS if row.get(name) and shown(row[name]) is not None), None)
    found = shown(row[field]) if field else None
    read = {asked, answered, time or "", field or "", key or "", *label_fields, *ORDERS, *OF_LOGS}
    when = as_time(row.get(time or ""))
    given = exchanges.said_in(row[asked], Speaker.USER, leftovers) or [Utterance(Speaker.USER, "")]
    came = exchanges.said_in(row[answered], Speaker.ASSISTANT, leftovers) or [
        Utterance(Speaker.ASSISTANT, "")
    ]
    history, earlier = _earlier(row, leftovers)
    read.add(history or "")
    *others, last = dated(without(came, given), when)
    answer = replace(
        last,
        recommendations=found[0] if found else last.recommendations,
        items=found[1] if found else last.items,
        metadata={**last.metadata, **leftovers.keep(row, read, "rows.")},
    )
    earlier = [] if said else earlier
    return [*earlier, *dated(without(given, said or earlier), when), *others, answer]
