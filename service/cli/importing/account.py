"""What became of the data of an import: what was kept and what was left out, by field and count."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ..inputs import Json
from .imported import Imported

_OF_LABELS = ("conversation", "message", "rater", "kind", "system", "turn", "score", "factor")


def account(made: Sequence[Imported], logs: str, labels: str | None, *, unreadable: int) -> Iterator[str]:
    """Lines for a person. `logs` and `labels` say where both were written (None: nowhere)."""
    rows = [label for imported in made for label in imported.labels]
    told = f"{len(made)} logs are in {logs}" + (f", {len(rows)} labels in {labels}" if labels else "")
    yield f"{told}."
    kept = sum((_fields(imported.log) for imported in made), Counter[str]())
    if labels:
        kept += sum((_named(row) for row in rows), Counter[str]())
    yield f"Kept: {_listed(kept)}."
    left = sum((Counter(imported.left) for imported in made), Counter[str]())
    if not labels:
        left += sum((_named(row) for row in rows), Counter[str]())
    yield f"Left out: {_listed(left) or 'nothing'}."
    if rows and not labels:
        yield "--labels FILE keeps the labels."
    if unreadable:
        yield f"{unreadable} places could not be read and are named above."


def _fields(log: Json) -> "Counter[str]":
    """The fields of a log, those of its user and its messages among them."""
    found = Counter(name for name in log if name not in ("messages", "history", "user"))
    found.update(f"user.{name}" for name in log.get("user") or ())
    for part in ("messages", "history"):
        messages = log.get(part) or ()
        found[part] += len(messages)
        found.update(
            f"{part}.{name}" for message in messages for name in message if name not in ("role", "content")
        )
    return +found


def _named(label: Json) -> "Counter[str]":
    """A label by its factor, or by the names of what it says of a message."""
    if "factor" in label:
        return Counter([f"label {label['factor']}"])
    return Counter(f"label {name}" for name in label if name not in _OF_LABELS)


def _listed(counts: "Counter[str]") -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
