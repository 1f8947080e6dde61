"""`--from auto`: which format each entry of a file is in."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .entries import Entry, Fault
from .reading.documents import Document, Kind
from .reading.suggestion import FORMS, suggestion
from .reading.tables import Row
from .talk.leftovers import loaded

if TYPE_CHECKING:
    from .declared.reading import Format

WRAPPERS = (
    "data", "items", "logs", "conversations", "dialogs", "dialogues", "traces", "sessions", "threads", "runs", "spans",
    "results", "records", "chats", "examples", "rows", "log", "chat", "conversation", "payload",
    "list",
)  # fmt: skip
"""Fields that hold the entries of a file that is one object, as an answer of an API is."""


class Recognition:
    """Tells formats apart. `left` counts what stands in a file around its entries."""

    def __init__(self, known: Mapping[str, "Format"], faults: list[Fault]) -> None:
        self._known = sorted(known.values(), key=lambda one: one.general)
        self._only = next(iter(known)) if len(known) == 1 else None
        self._faults = faults
        self.left: Counter[str] = Counter()

    def taken(self, document: Document) -> dict[str, list[Entry]]:
        """A file's entries by the names of their formats, in the order in which each format first appears. An entry in none
        is added to the faults, or read by the format where there is but one."""
        if document.kind is Kind.TABLE:
            return self._of_table(document)
        found: dict[str, list[Entry]] = {}
        unknown: list[Entry] = []
        for entry in document.entries:
            for one, name in self._of_entry(entry, document.kind):
                taken = name or self._only
                (found.setdefault(taken, []) if taken else unknown).append(one)
        self._refuse(unknown, unknown)
        return found

    def _refuse(self, unknown: Sequence[Entry], like: Sequence[Entry]) -> None:
        """Add a fault for each of these entries; the first shows an example from the file, from entries that are alike."""
        example = suggestion([entry.value for entry in like]) if unknown else None
        for number, entry in enumerate(unknown):
            advice = f"Say which fields hold what, for example: {example}" if example else FORMS
            shown = "" if number else f" {advice}"
            self._faults.append(Fault(entry.place, _unknown(entry.value) + shown))

    def _of_table(self, document: Document) -> dict[str, list[Entry]]:
        """All rows in the format of the first one that is in any: they have the same columns."""
        found = (self._format_of(entry, document.kind) for entry in document.entries)
        name = next((one for one in found if one), self._only)
        if name is not None:
            return {name: list(document.entries)}
        opened = [_opened(entry) for entry in document.entries]
        if opened == list(document.entries):
            self._refuse(document.entries[:1], document.entries)
            return {}
        return self.taken(replace(document, kind=Kind.JSON, entries=opened))

    def _of_entry(self, entry: Entry, kind: Kind) -> Iterator[tuple[Entry, str | None]]:
        found = self._format_of(entry, kind)
        inner, around = ([], []) if found is not None else inside(entry)
        if len(inner) == 1 and self._format_of(inner[0], kind) is None:  # {"chats": {"list": [...]}}
            deeper, beside = inside(inner[0])
            inner, around = deeper, [*around, *beside]
        named = [(one, self._format_of(one, kind)) for one in inner]
        if any(name for _, name in named):
            self.left.update(f"{name} of the file" for name in around)
            yield from named
        else:
            yield entry, found

    def _format_of(self, entry: Entry, kind: Kind) -> str | None:
        """The format of an entry: one that knows it for its own, before one of those with a general shape."""
        found = (one.name for one in self._known if kind in one.kinds and one.claims(entry.value))
        return next(found, None)


def _opened(entry: Entry) -> Entry:
    """The row with the objects and lists that its cells hold as JSON."""
    return replace(entry, value={name: loaded(cell) for name, cell in entry.value.items()})


def inside(entry: Entry) -> tuple[list[Entry], list[str]]:
    """The entries that one object holds, in a list or by their names (`{"conversation 1": {...}}`), and its other fields."""
    value = entry.value
    if not isinstance(value, dict) or isinstance(entry, Row):
        return [], []
    for name in WRAPPERS:
        held = value.get(name)
        if not held or not isinstance(held, list | dict):
            continue
        around = [key for key, part in value.items() if key != name and part not in (None, "", [], {})]
        if isinstance(held, dict):
            return [Entry(f"{entry.place}.{name}", held)], around
        return [Entry(f"{entry.place}.{name}[{at}]", one) for at, one in enumerate(held)], around
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
