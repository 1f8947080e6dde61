"""Readings of formats, and their results: logs, labels beside them, counts of what was kept, and what could not be read."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .entries import Entry, Fault, Json

_OF_LABELS = ("conversation", "message", "rater", "kind", "system", "turn", "score", "factor")


@dataclass(frozen=True)
class Wanted:
    """The caller's options: labels for all logs, and names of entities, of fields and of speakers."""

    system: str | None = None
    domain: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """Titles by the number that a data set gives an item."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Theirs by ours, as in `role=speaker`."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """`user` or `assistant` by the name of a speaker, as in `buyer=user`."""
    encoding: str | None = None
    whole_files: bool = False
    """True where each file is one conversation, whatever its entries say."""

    def listed(self, names: Iterable[str]) -> str:
        """Return the first names of these fields, as the data has them."""
        return ", ".join(self.fields.get(name, str(name)) for name in list(names)[:12]) or "none"


@dataclass(frozen=True)
class Imported:
    """A log, and its labels: lines that `crs-eval agreement` takes, or strategies of messages. `left` counts
    what the data holds and the log does not, by the name of the field."""

    place: str
    log: Json
    labels: Sequence[Json] = ()
    left: Mapping[str, int] = field(default_factory=dict)


class OptionError(ValueError):
    """A reading option that cannot be met. `option` names it: `map`, `roles` or `encoding`."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


class UnreadableError(ValueError):
    """One entry that is not in the format; the message says why."""

    names: Sequence[str] = ()
    """The speakers of the entry, where nobody knows who one of them is."""


class SpeakerError(UnreadableError):
    """A speaker who may be the user or the recommender."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"unknown role: {', '.join(repr(name[:40]) for name in names)}")
        self.names = tuple(names)


def need(value: Any, name: str, kind: type) -> Any:
    """A field of this type. Raises UnreadableError where it is missing or of another."""
    if not isinstance(value, Mapping) or name not in value:
        raise UnreadableError(f"no {name}")
    if not isinstance(value[name], kind):
        raise UnreadableError(f"{name} is no {kind.__name__}")
    return value[name]


Read = Callable[[Sequence[Entry], Wanted, list[Fault]], Iterator[Imported]]


class Reader(NamedTuple):
    """Recognition and reading of a format in Python: its own values and no other's, and the conversations of its entries."""

    fits: Callable[[Any], bool]
    read: Read


def per_entry(read: Callable[[Entry, Wanted], Imported]) -> Read:
    """A reading in which each entry is a conversation."""

    def reading(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        for entry in entries:
            with refusing(entry.place, faults):
                yield read(entry, wanted)

    return reading


@contextmanager
def refusing(place: str, faults: list[Fault]) -> Iterator[None]:
    """Turn an UnreadableError into a fault that names the place."""
    try:
        yield
    except UnreadableError as error:
        faults.append(Fault(place, str(error), error.names))


def kept_of(imported: Imported, *, labels: bool = True) -> Counter[str]:
    """Return what a log holds of its data, by the names of the fields; and its labels."""
    fields = _fields(imported.log)
    return fields + total(map(named, imported.labels)) if labels else fields


def total(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    """The sum of counts. Added one after the other each would be copied again."""
    found: Counter[str] = Counter()
    for one in counts:
        found.update(one)
    return found


def _fields(log: Json) -> Counter[str]:
    """The fields of a log, those of its user and its messages among them; metadata by its names, parts by their kinds."""
    found = Counter(name for name in log if name not in ("messages", "history", "user", "metadata"))
    found.update(f"user.{name}" for name in log.get("user") or ())
    found.update(_metadata(log, ""))
    for part in ("messages", "history"):
        messages = log.get(part) or ()
        found[part] += len(messages)
        for message in messages:
            found.update(
                f"{part}.{name}" for name in message if name not in ("role", "content", "metadata", "parts")
            )
            found.update(str(one["type"]) for one in message.get("parts") or ())
            found.update(_metadata(message, f"{part}."))
    return +found


def _metadata(holder: Json, prefix: str) -> Iterator[str]:
    return (f"{prefix}metadata.{name}" for name in holder.get("metadata") or ())


def named(label: Json) -> Counter[str]:
    """A label by its factor, or by the names of what it says of a message."""
    if "factor" in label:
        return Counter([f"label {label['factor']}"])
    return Counter(f"label {name}" for name in label if name not in _OF_LABELS)
