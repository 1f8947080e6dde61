"""`--from auto`: which format each entry of a file is in."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .entries import Entry, Fault
from .readers.rows import KEYS
from .reading.documents import Document, Kind
from .reading.mapping import Renaming
from .reading.suggestion import FORMS, MOST_ROWS, suggestion
from .reading.tables import Row
from .talk.leftovers import as_name, loaded
from .talk.speakers import known

if TYPE_CHECKING:
    from .declared.reading import Format

WRAPPERS = (
    "data", "items", "logs", "conversations", "dialogs", "dialogues", "traces", "sessions", "threads", "runs", "spans",
    "results", "records", "chats", "examples", "rows", "log", "chat", "conversation", "payload",
    "list", "content", "values", "messages",
)  # fmt: skip
"""Fields that hold the entries of a file that is one object, as an answer of an API is."""
_HALVES = {"request", "response", "input", "output", "inputs", "outputs", "prompt", "completion"}
"""Names of halves of one call, and not of conversations."""


class Recognition:
    """Tells formats apart, after `renaming`. `left` counts what stands in a file around its entries."""

    def __init__(self, known: Mapping[str, "Format"], faults: list[Fault], renaming: Renaming) -> None:
        # A trace contains calls of a model, which have readers of their own. So formats with distinct outer fields come first.
        self._known = sorted(known.values(), key=lambda one: (one.general, bool(one.reader)))
        self._only = next(iter(known)) if len(known) == 1 else None
        self._faults = faults
        self._renaming = renaming
        self.left: Counter[str] = Counter()

    def taken(self, document: Document) -> dict[str, list[Entry]]:
        """A file's entries by the names of their formats, in the order in which each format first appears. An entry in none
        is added to the faults, or read by the format where there is but one."""
        if document.kind is Kind.TABLE:
            return self._of_table(document)
        found: dict[str, list[Entry]] = {}
        unknown: list[Entry] = []
        rows = False
        for given in document.entries:
            entry = _renamed(given, self._renaming)
            listed, around = self._of_entry(entry, document.kind)
            self.left.update(f"{name} of the file" for name in around)
            is_read = all(name for _, name in listed)
            originals = {} if is_read else {one.place: one for one in (given, *inside(given)[0])}
            for one, name in listed:
                # Half a conversation is judged as if it were whole. So its unread rows go to the reader of rows, which leaves it out.
                rows = rows or name == "messages"
                of_rows = "messages" if rows and _names_conversation(one.value) else None
                if taken := name or self._only or of_rows:
                    found.setdefault(taken, []).append(one)
                else:
                    unknown.append(originals.get(one.place, one))
        self._refuse(unknown, unknown, document.kind)
        return found

    def _refuse(self, unknown: Sequence[Entry], like: Sequence[Entry], kind: Kind) -> None:
        """Add a fault for each of these entries; the first shows an example from the file, from entries that are alike."""

        def is_read(fields: Mapping[str, str]) -> bool:
            renaming = Renaming(fields, self._renaming.speakers)
            renamed = (_renamed(entry, renaming) for entry in like[:MOST_ROWS])
            return any(name for entry in renamed for _, name in self._of_entry(entry, kind)[0])

        values = [entry.value for entry in like]
        example = suggestion(values, is_read) if unknown else None
        for number, entry in enumerate(unknown):
            advice = f"Name the fields, for example: {example}" if example else FORMS
            shown = "" if number else f" {advice}"
            self._faults.append(Fault(entry.place, _unknown(entry.value) + shown))

    def _of_table(self, document: Document) -> dict[str, list[Entry]]:
        """Give all rows the first recognised row's format: they have the same columns."""
        if detail := _headless(document.entries):
            self._faults.append(Fault(document.name, detail))
            return {}
        entries = [_renamed(entry, self._renaming) for entry in document.entries]
        found = (self._format_of(entry, document.kind) for entry in entries)
        name = next((one for one in found if one), self._only)
        if name is not None:
            return {name: entries}
        # Cells may hold objects and lists as JSON.
        opened = [
            replace(one, value={name: loaded(cell) for name, cell in one.value.items()})
            for one in document.entries
        ]
        if opened == list(document.entries):
            self._refuse(document.entries[:1], document.entries, document.kind)
            return {}
        return self.taken(replace(document, kind=Kind.JSON, entries=opened))

    def _of_entry(self, entry: Entry, kind: Kind) -> tuple[list[tuple[Entry, str | None]], list[str]]:
        """Return the entry, or the entries that it holds, with their formats; and the other fields around those."""
        found = self._format_of(entry, kind)
        inner, around = ([], []) if found is not None else inside(entry)
        if len(inner) == 1 and self._format_of(inner[0], kind) is None:  # {"chats": {"list": [...]}}
            deeper, beside = inside(inner[0])
            inner, around = deeper, [*around, *beside]
        named = [(one, self._format_of(one, kind)) for one in inner]
        return (named, around) if any(name for _, name in named) else ([(entry, found)], [])

    def _format_of(self, entry: Entry, kind: Kind) -> str | None:
        """The format of an entry: one that knows it for its own, before one of those with a general shape."""
        found = (one.name for one in self._known if kind in one.kinds and one.claims(entry.value))
        return next(found, None)


def _headless(entries: Sequence[Entry]) -> str | None:
    """Return what to do about a table that begins with a message instead of the names of its columns; None where it has names."""
    first = entries[0].value if entries else {}
    rows = [entry.value for entry in entries[:MOST_ROWS]]
    for name in filter(known, first):
        if any(known(str(row.get(name))) for row in rows):
            return (
                "its first line holds a message, and no names of columns. Put a line with a name for each column before it, such as "
                "conversation,role,content"
            )
    return None


def _names_conversation(value: Any) -> bool:
    return isinstance(value, Mapping) and any(as_name(value.get(key)) for key in KEYS)


def _renamed(entry: Entry, renaming: Renaming) -> Entry:
    # Without names to change, a copy of the entry would be memory for nothing.
    return replace(entry, value=renaming(entry.value)) if renaming.fields or renaming.speakers else entry


def _may_be_read(value: Any) -> bool:
    """Return whether a value may be a conversation or a message: one line of words is none."""
    return isinstance(value, list | dict) or "\n" in str(value)


def inside(entry: Entry) -> tuple[list[Entry], list[str]]:
    """The entries that one object holds, in a list or by their names (`{"conversation 1": {...}}`), and its other fields."""
    value = entry.value
    if not isinstance(value, dict) or isinstance(entry, Row):
        return [], []
    for name in WRAPPERS:
        held = value.get(name)
        if (
            not held
            or not isinstance(held, list | dict)
            or (isinstance(held, list) and not any(map(_may_be_read, held)))
        ):
            continue
        around = [key for key, part in value.items() if key != name and part not in (None, "", [], {})]
        if isinstance(held, dict):
            return [Entry(f"{entry.place}.{name}", held)], around
        return [Entry(f"{entry.place}.{name}[{at}]", one) for at, one in enumerate(held)], around
    if _HALVES & value.keys() or not all(isinstance(one, dict | list) for one in value.values()):
        return [], []
    return [
        Entry(f"{entry.place}.{name}", {"id": name, **(one if isinstance(one, dict) else {"messages": one})})
        for name, one in value.items()
    ], []


def _unknown(value: Any) -> str:
    if isinstance(value, dict):
        fields = ", ".join(map(str, list(value)[:12])) or "none"
        return f"in no known format; its fields are {fields}."
    kind = "an array" if isinstance(value, list) else json.dumps(value, default=str)[:40]
    return f"in no known format: it is {kind}, no object."
