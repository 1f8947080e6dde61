"""Account for the data of an import: what was kept and what was left out, by field and count."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ..inputs import Json
from .imported import Imported

_OF_LABELS = ("conversation", "message", "rater", "kind", "system", "turn", "score", "factor")


def account(
    made: Sequence[Imported],
    logs: str,
    labels: str | None,
    *,
    unreadable: int,
    around: Mapping[str, int] = MappingProxyType({}),
) -> Iterator[str]:
    """Lines for a person. `logs` and `labels` say where both were written (None: nowhere); `around` counts what stands in files
    beside their conversations."""
    rows = [label for imported in made for label in imported.labels]
    told = f"{len(made)} logs are in {logs}" + (f", {len(rows)} labels in {labels}" if labels else "")
    yield f"{told}."
    kept = sum((kept_of(imported, labels=labels is not None) for imported in made), Counter[str]())
    yield f"Kept: {_listed(kept)}."
    left = sum((Counter(imported.left) for imported in made), Counter(around))
    if not labels:
        left += sum((_named(row) for row in rows), Counter[str]())
    yield f"Left out: {_listed(left) or 'nothing'}."
    if rows and not labels:
        yield "--labels FILE keeps the labels."
    if unreadable:
        yield f"{unreadable} places could not be read and are named above."


def kept_of(imported: Imported, *, labels: bool = True) -> "Counter[str]":
    """Return what a log holds of its data, by the names of the fields; and its labels."""
    fields = _fields(imported.log)
    return fields + sum((_named(row) for row in imported.labels), Counter[str]()) if labels else fields


def _fields(log: Json) -> "Counter[str]":
    """The fields of a log, those of its user and its messages among them; metadata by its names, parts by their kinds."""
    found = Counter(name for name in log if name not in ("messages", "history", "user", "metadata"))
    found.update(f"user.{name}" for name in log.get("user") or ())
    found += _metadata(log, "")
    for part in ("messages", "history"):
        messages = log.get(part) or ()
        found[part] += len(messages)
        for message in messages:
            found.update(
                f"{part}.{name}" for name in message if name not in ("role", "content", "metadata", "parts")
            )
            found.update(str(one["type"]) for one in message.get("parts") or ())
            found += _metadata(message, f"{part}.")
    return +found


def _metadata(holder: Json, prefix: str) -> "Counter[str]":
    metadata = holder.get("metadata") or {}
    return Counter(f"{prefix}metadata.{name}" for name in metadata)


def _named(label: Json) -> "Counter[str]":
    """A label by its factor, or by the names of what it says of a message."""
    if "factor" in label:
        return Counter([f"label {label['factor']}"])
    return Counter(f"label {name}" for name in label if name not in _OF_LABELS)


def _listed(counts: "Counter[str]") -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
