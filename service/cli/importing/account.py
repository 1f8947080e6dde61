"""Account for the data of an import: what was kept and what was left out, by field and count."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ...domain.plurals import counted
from ...importing.imported import Imported
from ...importing.kept import kept_of, named, total


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
    told = f"{counted(len(made), 'log')} {'is' if len(made) == 1 else 'are'} in {logs}"
    told += f", {counted(len(rows), 'label')} in {labels}" if labels else ""
    yield f"{told}."
    kept = total(kept_of(imported, labels=labels is not None) for imported in made)
    yield f"Kept: {_listed(kept)}."
    left = total([around, *(imported.left for imported in made), *map(named, () if labels else rows)])
    yield f"Left out: {_listed(left) or 'nothing'}."
    if rows and not labels:
        yield "--labels FILE keeps the labels."
    if unreadable:
        yield f"Not readable: {counted(unreadable, 'place')}, named above."


def _listed(counts: "Counter[str]") -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
