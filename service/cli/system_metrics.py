"""Computed metrics of several systems: side by side, and what differs on the conversations that they share."""

from collections import Counter
from collections.abc import Sequence

from .inputs import Json, Source, grouped
from .tables import as_cell
from .tabulating.summary import Measured, summarise

SYSTEM = "system"
DIFFERENCES = ("metric", "first", "second", "difference", "interval", "p", "p_adjusted", "n")
NOTE = (
    "Difference: second minus first, as means over the n conversations that both systems have. p: two-sided, from a test that flips "
    "the signs of the paired differences. p_adjusted: corrected for all rows of the table (Holm)."
)
_FIGURE = ("metric", "view", "scope", "k", "turn", "group", "unit")


def systems_of(sources: Sequence[Source]) -> list[str]:
    """Return the systems that the logs name, in their order."""
    return list(dict.fromkeys(source.system for source in sources if source.system is not None))


def side_by_side(rows: Sequence[Json]) -> tuple[list[str], list[Json]]:
    """Return columns and rows with one column of values per system, of an answer that is grouped by system.

    A cell holds the value and its interval. `n` holds the count of each system where they differ."""
    systems = list(dict.fromkeys(row["group"][SYSTEM] for row in rows))
    found: dict[str, tuple[Json, dict[str, Json]]] = {}
    for row in rows:
        group = {name: label for name, label in row["group"].items() if name != SYSTEM}
        head = {**{name: row[name] for name in _FIGURE}, "group": group}
        found.setdefault(str(head), (head, {}))[1][row["group"][SYSTEM]] = row
    made = []
    for head, by_system in found.values():
        counts = [str(by_system[system]["n"]) if system in by_system else "0" for system in systems]
        cells = {
            system: as_cell(row["value"]) + (f" ({as_cell(row['interval'])})" if row["interval"] else "")
            for system, row in by_system.items()
        }
        n = counts[0] if len({*counts}) == 1 else " / ".join(counts)
        made.append({**head, **cells, "n": n})
    return [*_FIGURE, *systems, "n"], made


def tested(rows: Sequence[Json]) -> dict[str, Json]:
    """Return the figures over whole sessions by their names: those that a test compares.

    Of a metric with several scopes the one over the session is taken, and no figure of a single turn."""
    found: dict[str, Json] = {}
    for row in rows:
        if row["turn"] is None and row["scope"] in (None, "session") and set(row["group"]) <= {SYSTEM}:
            found.setdefault(_name(row), row)
    return found


def _name(row: Json) -> str:
    cut = "" if row["k"] is None else f"@{row['k']}"
    view = f", {row['view']}" if row["view"] else ""
    return f"{row['metric']}{cut}{view}"


def shared(sources: Sequence[Source]) -> list[Source]:
    """Return the conversations that another system has too, by id."""
    named = [source for source in sources if source.system is not None]
    systems = Counter(source.conversation for source in named)
    return [source for source in named if systems[source.conversation] > 1]


def differences(sources: Sequence[Source], rows: Sequence[Json], figures: Sequence[str]) -> list[Json]:
    """Return the paired differences of systems in these figures of single conversations, in full precision. In the `rows` the number
    of a conversation is its `system`."""
    by_number = grouped((row["group"].get(SYSTEM, ""), row) for row in rows)
    measured = []
    for number, source in enumerate(sources):
        found = tested(by_number[str(number)])
        values = {name: row["value"] for name, row in found.items() if row["value"] is not None}
        measured += [
            Measured(str(source.system), name, source.conversation, values[name])
            for name in figures
            if name in values
        ]
    # Latest first, so that differences are later minus earlier.
    summary = summarise("Differences", measured, systems_of(sources)[::-1], figures)
    return [
        {
            "metric": one.factor,
            "first": one.second,
            "second": one.first,
            "difference": one.difference,
            "interval": None if one.low is None else {"low": one.low, "high": one.high},
            "p": one.p,
            "p_adjusted": one.adjusted,
            "n": one.users,
        }
        for one in summary.differences
        if one.paired
    ]
