"""Chats in a usual spelling, one object or list each; and messages one a row or line, brought together by the names of their
conversations, whatever the names of columns."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from ..entries import Entry, Fault
from ..imported import Imported, OptionError, Reader, UnreadableError, Wanted, per_entry, refusing
from ..model_calls.exchanges import asks
from ..reading.mapping import option
from ..reading.tables import Row
from ..talk import items, speakers, times
from ..talk.labels import FIELDS as LABEL_FIELDS
from ..talk.labels import MAPPED, PEOPLE, Label, as_score, labels_in
from ..talk.leftovers import Leftovers, as_name, as_text, loaded
from ..talk.messages import TEXTS, is_message, read_messages
from ..talk.speakers import named_speaker, speaker_field
from ..talk.threads import HISTORIES, read_thread, thread_in
from ..talk.times import ORDERS, in_order
from ..talk.utterances import Conversation

KEYS = (
    "conversation", "conversation_id", "conversationId", "conv_id", "conversation ID", "session_id", "sessionId", "session",
    "dialogue_id", "dialog_id", "dialogue", "dialog", "conv", "thread_id", "threadId", "chat_id", "chatId", "thread", "chat", "group_id",
    "trace_id", "traceId", "conversation_name",
)  # fmt: skip
"""Fields that name the conversation of a row."""
OF_LOGS = ("system", "domain")
_STRATEGIES = ("strategy", "second_strategy")
"""Fields of a declared format that say in words what a message does."""


@dataclass(frozen=True)
class Group:
    """The rows of one conversation in order, with the place of the first one. `name` is None where no row names any."""

    place: str
    name: str | None
    key: str | None
    """The field that names it."""
    rows: Sequence[Mapping[str, Any]]

    @property
    def fields(self) -> dict[str, str | None]:
        """The fields of the log that any row gives."""
        return {name: next((str(row[name]) for row in self.rows if row.get(name)), None) for name in OF_LOGS}


def groups(
    entries: Sequence[Entry], faults: list[Fault], check: Callable[[Mapping[str, Any]], object]
) -> Iterator[Group]:
    """The conversations that rows make. A conversation with a row that cannot be read, or that `check` finds unreadable, is
    left out: half of one would be judged as if it were whole. Rows of a file without names are one conversation."""
    key = _key(entries)
    found: dict[str | None, list[Entry]] = {}
    broken: set[str | None] = set()
    name = None
    for entry in entries:
        held = entry.value.get(key) if key is not None and isinstance(entry.value, Mapping) else None
        before, name = name, as_name(held)
        try:
            _check_row(entry, key, name)
            check(entry.value)
        except UnreadableError as error:
            name = name or before  # a row without a name may go on with the conversation above
            left = f"; {name!r} is left out" if name else ""
            faults.append(Fault(entry.place, f"{error}{left}", error.names))
            broken.add(name)
        else:
            found.setdefault(name, []).append(entry)
    for name, rows in found.items():
        if name not in broken:
            yield Group(rows[0].place, name, key, in_order([row.value for row in rows]))


def are_named(entries: Sequence[Entry]) -> bool:
    """Return whether any row names its conversation."""
    return _key(entries) is not None


def _key(entries: Sequence[Entry]) -> str | None:
    """The first of the fields that name conversations that any row has."""
    return next((key for key in KEYS if any(_given(entry.value, key) for entry in entries)), None)


def _given(row: Any, key: str) -> bool:
    return isinstance(row, Mapping) and row.get(key) not in (None, "", [], {})


def _check_row(entry: Entry, key: str | None, name: str | None) -> None:
    if isinstance(entry, Row) and entry.wrong:
        raise UnreadableError(entry.wrong)
    if not isinstance(entry.value, Mapping):
        raise UnreadableError("no object")
    if key is not None and name is None:
        raise UnreadableError(f"{key} is not a name" if _given(entry.value, key) else f"no {key}")


_OF_MESSAGES = (
    *TEXTS, *speakers.FIELDS, *items.FIELDS, *times.FIELDS, "id", "name", "thoughts", "content_type",
)  # fmt: skip
"""Fields that belong to each message, though all say the same."""


def read_rows(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """The conversations in rows; `label:<factor>` and fields that are named as labels are labels. They are of the whole where
    they say the same in all rows or stand in one."""
    if not wanted.whole_files and (column := _unnamed(entries)):
        detail = (
            f"its column {column} seems to name conversations. Say so by {option({'conversation': column, **wanted.fields})}, or that "
            "the file is one conversation by --one-file-one-conversation"
        )
        faults.append(Fault(entries[0].place, detail))
        return

    def check(row: Mapping[str, Any]) -> None:
        if not is_message(row):
            raise UnreadableError(f"no message; its fields are {wanted.listed(row)}")

    for group in groups(entries, faults, check):
        with refusing(group.place, faults):
            yield _conversation(group, wanted, faults)


def _unnamed(entries: Sequence[Entry]) -> str | None:
    """The column that parts these rows into conversations, where none has a name that says so."""
    rows = [entry.value for entry in entries if isinstance(entry.value, Mapping)]
    if are_named(entries) or not rows:
        return None
    others = {
        name: [str(row.get(name)) for row in rows]
        for name, value in rows[0].items()
        if (name == "id" or name not in _OF_MESSAGES)
        and isinstance(value, str | int)
        and not isinstance(value, bool)
    }
    return conversations_by(others, [named_speaker(row) or "" for row in rows])


def _conversation(group: Group, wanted: Wanted, faults: list[Fault]) -> Imported:
    leftovers = Leftovers()
    rows = [_own(row, group.key) for row in group.rows]
    labels = list(_labels(group.rows, group.place, faults))
    constant = {
        name: value
        for name, value in rows[0].items()
        if len(rows) > 1
        and name not in _OF_MESSAGES
        and all(name in row and as_text(row[name]) == as_text(value) for row in rows)
    }
    rows = [{name: value for name, value in row.items() if name not in constant} for row in rows]
    said = [{name: row[name] for name in _STRATEGIES if row.get(name)} for row in group.rows]
    accepted = next((row["accepted"] for row in group.rows if isinstance(row.get("accepted"), bool)), None)
    return Conversation(
        group.place,
        read_messages(rows, leftovers),
        id=group.name,
        labels=labels,
        metadata=leftovers.keep(constant, ()),
        fields={**group.fields, "outcome": None if accepted is None else {"accepted": accepted}},
        marks=[(at, mark) for at, mark in enumerate(said) if mark],
    ).imported(wanted, leftovers)


def _own(row: Mapping[str, Any], key: str | None) -> dict[str, Any]:
    """Return what a row says of its message: without its conversation, its number and what is labels."""
    _, of_labels = labels_in(row)
    others = {key, *ORDERS, *OF_LOGS, *_STRATEGIES, "accepted", "rater", *of_labels}
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
            faults.append(Fault(place, f"{name} of message {at} is not a number: {str(value)[:40]!r}"))
        else:
            yield Label(name.removeprefix(MAPPED), score)


def conversations_by(columns: Mapping[str, Sequence[str]], spoken: Sequence[str]) -> str | None:
    """The column that seems to name conversations: its values part the rows into runs in which the same speaker begins and
    another follows. None where there is no such column."""
    return next((name for name, values in columns.items() if _parts(values, spoken)), None)


def _parts(values: Sequence[str], spoken: Sequence[str]) -> bool:
    runs = [[at for at, _ in run] for _, run in groupby(enumerate(values), lambda pair: pair[1])]
    roles = [speakers.speaker_by_words(name) for name in spoken]
    return 1 < len(runs) == len({*values}) and all(
        roles[run[0]] is roles[0] and len({spoken[at] for at in run}) > 1 for run in runs
    )


def _is_row(value: Any) -> bool:
    return isinstance(value, Mapping) and is_message(spelt(value, _COLUMNS))


def spelt(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """Rename the known columns of a row, ignoring case and blanks: `Conversation ID`."""
    names = {name: columns.get(_bare(name), name) for name in row}
    known = Counter(names.values())
    return {name if known[names[name]] > 1 else names[name]: value for name, value in row.items()}


def _bare(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


def by_letters(names: Iterable[str]) -> dict[str, str]:
    """Return names of columns by their letters, the first of several with the same."""
    return {_bare(name): name for name in reversed([*names])}


_COLUMNS = by_letters((
    *KEYS, *times.ORDERS, *TEXTS, *speakers.FIELDS, *items.FIELDS, *times.FIELDS, *LABEL_FIELDS, "system", "domain", "rater", "thoughts",
    "id",
))  # fmt: skip


def _read_table(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read rows under the names of columns that are known. Raises OptionError where no column says who speaks, or what."""
    first = next((entry for entry in entries if isinstance(entry.value, Mapping)), None)
    if first is not None and not any(_is_row(entry.value) for entry in entries):
        problem = f"{first.place} has no column that says who speaks, or none that says what; it has {wanted.listed(first.value)}."
        raise OptionError(
            "map",
            f"{problem} Say which they are: {option({'role': 'THEIRS', 'content': 'THEIRS', **wanted.fields})}.",
        )
    rows = [
        replace(entry, value=spelt(entry.value, _COLUMNS)) if isinstance(entry.value, Mapping) else entry
        for entry in entries
    ]
    yield from read_rows(rows, wanted, faults)


_SESSIONS = (
    "conversation_id",
    "conversationId",
    "session_id",
    "sessionId",
    "chat_id",
    "chatId",
    "dialogue_id",
    "dialog_id",
)
"""Fields of messages that name their conversation, where a list holds those of several."""


def _is_chat(value: Any) -> bool:
    """Return whether a value holds the messages of one conversation, and they are not what was said before a question in it."""
    found = thread_in(value)
    if found is None or (found[0] in HISTORIES and asks(value)):
        return False
    names = ([as_name(one.get(key)) for one in found[1] if isinstance(one, Mapping)] for key in _SESSIONS)
    return not any(None not in held and len({*held}) > 1 for held in names)


chat = Reader(_is_chat, per_entry(read_thread))
messages = Reader(lambda value: isinstance(value, Mapping) and is_message(value), read_rows)
csv = Reader(_is_row, _read_table)
