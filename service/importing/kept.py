"""The data that logs hold, and the labels beside them, counted by the names of their fields."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from .entries import Json
from .imported import Imported

_OF_LABELS = ("conversation", "message", "rater", "kind", "system", "turn", "score", "factor")


def kept_of(imported: Imported, *, labels: bool = True) -> "Counter[str]":
    """Return what a log holds of its data, by the names of the fields; and its labels."""
    fields = _fields(imported.log)
    return fields + total(map(named, imported.labels)) if labels else fields


def total(counts: Iterable[Mapping[str, int]]) -> "Counter[str]":
    """The sum of counts. Added one after the other each would be copied again."""
    found: Counter[str] = Counter()
    for one in counts:
        found.update(one)
    return found


def _fields(log: Json) -> "Counter[str]":
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


def named(label: Json) -> "Counter[str]":
    """A label by its factor, or by the names of what it says of a message."""
    if "factor" in label:
        return Counter([f"label {label['factor']}"])
    return Counter(f"label {name}" for name in label if name not in _OF_LABELS)
