"""`--from auto`: which format each entry of a file is in."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .entries import Entry, Fault
from .format import Format
from .reading.documents import Document, Kind
from .reading.suggestion import FORMS, suggestion
from .reading.tables import Row
from .talk.leftovers import loaded

WRAPPERS = (
    "data", "items", "logs", "conversations", "dialogs", "dialogues", "traces", "sessions", "threads", "runs", "spans",
    "results", "records", "chats", "examples", "rows", "log", "chat", "conversation", "payload",
    "list",
)  # fmt: skip
"""Fields that hold the entries of a file that is one object, as an answer of an API is."""


@dataclass
class Taken:
    """Entries of one file in one format."""

    format: Format
    entries: list[Entry] = field(default_factory=list)


class Recognition:
    """Tells formats apart. `left` counts what stands in a file around its entries."""

    def __init__(self, known: Sequence[Format], faults: list[Fault]) -> None:
        self._known = known
        self._faults = faults
        self.left: Counter[str] = Counter()

    def taken(self, document: Document) -> list[Taken]:
        """A file's entries by the formats they are in, in the order in which each format first appears. An entry in none
        is added to the faults, or read by the format where there is but one."""
        if document.kind is Kind.TABLE:
            return self._of_table(document)
        found: dict[str, Taken] = {}
        unknown: list[Entry] = []
        only = self._known[0] if len(self._known) == 1 else None
        for entry in document.entries:
            for one, format_ in self._of_entry(entry, document.kind):
                taken = format_ or only
                if taken is None:
                    unknown.append(one)
                else:
                    found.setdefault(taken.name, Taken(taken)).entries.append(one)
        self._refuse(unknown, unknown)
        return list(found.values())

    def _refuse(self, unknown: Sequence[Entry], like: Sequence[Entry]) -> None:
        """Add a fault for each of these entries; the first shows an example from the file, from entries that are alike."""
        example = suggestion([entry.value for entry in like]) if unknown else None
        for number, entry in enumerate(unknown):
            advice = f"Say which fields hold what, for example: {example}" if example else FORMS
            shown = "" if number else f" {advice}"
            self._faults.append(Fault(entry.place, _unknown(entry.value) + shown))

    def _of_table(self, document: Document) -> list[Taken]:
        """All rows in the format of the first one that is in any: they have the same columns."""
        found = (format_of(entry.value, document.kind, self._known) for entry in document.entries)
        format_ = next((one for one in found if one), self._known[0] if len(self._known) == 1 else None)
        if format_ is not None:
            return [Taken(format_, list(document.entries))]
        opened = [_opened(entry) for entry in document.entries]
        if opened == list(document.entries):
            self._refuse(document.entries[:1], document.entries)
            return []
        return self.taken(replace(document, kind=Kind.JSON, entries=opened))

    def _of_entry(self, entry: Entry, kind: Kind) -> Iterator[tuple[Entry, Format | None]]:
        found = format_of(entry.value, kind, self._known)
        inner, around = ([], []) if found is not None else inside(entry)
        if (
            len(inner) == 1 and format_of(inner[0].value, kind, self._known) is None
        ):  # {"chats": {"list": [...]}}
            deeper, beside = inside(inner[0])
            inner, around = deeper, [*around, *beside]
        if any(format_of(one.value, kind, self._known) for one in inner):
            self.left.update(f"{name} of the file" for name in around)
            for one in inner:
                yield one, format_of(one.value, kind, self._known)
        else:
            yield entry, found


def _opened(entry: Entry) -> Entry:
    """The row with the objects and lists that its cells hold as JSON."""
    return replace(entry, value={name: loaded(cell) for name, cell in entry.value.items()})


def format_of(value: Any, kind: Kind, known: Sequence[Format]) -> Format | None:
    """The format that a value is in: one that knows it for its own, before one of those with a general shape."""
    for general in (False, True):
        for one in known:
            if one.general is general and kind in one.kinds and one.fits(value):
                return one
    return None


def inside(entry: Entry) -> tuple[list[Entry], list[str]]:
    """The entries that one object holds, in a list or by their names (`{"conversation 1": {...}}`), and its other fields."""
    value = entry.value
    if not isinstance(value, dict) or isinstance(entry, Row):
        return [], []
    for name in WRAPPERS:
        held = value.get(name)
        if held and isinstance(held, list | dict):
            listed = enumerate(held) if isinstance(held, list) else [("", held)]
            around = [
                other for other, part in value.items() if other != name and part not in (None, "", [], {})
            ]
            return [
                Entry(f"{entry.place}.{name}" + (f"[{at}]" if at != "" else ""), one) for at, one in listed
            ], around
    if not all(isinstance(one, dict | list) for one in value.values()):
        return [], []
    return [
        Entry(f"{entry.place}.{name}", {"id": name, **(one if isinstance(one, dict) else {"messages": one})})
        for name, one in value.items()
    ], []


_JSON_NAMES = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "an array",
}


def _unknown(value: Any) -> str:
    if isinstance(value, dict):
        fields = ", ".join(map(str, list(value)[:12])) or "none"
        return f"in no known format; its fields are {fields}."
    return f"in no known format: it is {_JSON_NAMES.get(type(value), 'a value')}, no object."
