"""Results on a terminal."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..domain.plurals import counted
from ..statistics.bootstrap import Interval
from ..statistics.permutation import mean_interval
from .records import Record
from .scores import MEAN_OF_FACTORS, OVERALL, OVERALL_SPAN, FactorScores, Run

_NUMBERS = frozenset({"value", "n", "k", "turn", "interval", "difference", "p", "p_adjusted"})
OVERVIEW = ("factor", "mean", "95 % interval", "scored", "not assessable", "failed")


@dataclass(frozen=True)
class FactorRow:
    """One factor over all conversations. `interval` is a 95 % bootstrap interval over conversations."""

    factor: str
    high: float
    mean: float | None
    interval: Interval | None
    n: int
    not_assessable: int
    failed: int


def rows(run: Run) -> list[FactorRow]:
    """Return a row per factor, their mean if there are several, and `overall`: that of debates, or else of the answers."""
    made = [_row_of(factor) for factor in run.factors.values()]
    if len(made) > 1:
        made.append(_mean_row(MEAN_OF_FACTORS, run, run.mean))
    if run.debates is not None:
        return [*made, _row_of(run.debates)]
    return [*made, _mean_row(OVERALL, run, run.overall)] if run.overall else made


def _mean_row(name: str, run: Run, scores: Mapping[str, float]) -> FactorRow:
    return _row(name, OVERALL_SPAN, list(scores.values()), (len(run.keys) - len(scores), 0))


def _row_of(factor: FactorScores) -> FactorRow:
    counts = (sum(factor.reasons.values()), sum(factor.failures.values()))
    return _row(factor.factor, factor.high, list(factor.scores.values()), counts)


def _row(name: str, high: float, scores: Sequence[float], counts: tuple[int, int]) -> FactorRow:
    mean = sum(scores) / len(scores) if scores else None
    interval = mean_interval(scores) if len(scores) > 1 else None
    return FactorRow(name, high, mean, interval, len(scores), *counts)


def total_cost(records: Sequence[Record]) -> float | None:
    """Return what all answers cost, each request once; None where no price is known."""
    requests = {record.request: record for record in records}.values()
    costs = [record.usage["cost"] for record in requests if record.usage.get("cost") is not None]
    return sum(costs) if costs else None


def figures_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], words: Container[str] = ()
) -> Table:
    """A table of text in its first column and in those of `words`, and of numbers in the others."""
    table = Table(title=escape(title), title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(escape(name), justify="right" if place and name not in words else "left")
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def print_overview(console: Console, run: Run) -> None:
    """One row a factor: mean, interval, how many were scored. Then the means of each system, where there are several."""
    if found := rows(run):
        title = counted(len(run.records), "conversation")
        console.print(figures_table(title, OVERVIEW, map(overview_cells, found)))
    if len(run.by_system) > 1:
        parts = [{row.factor: row for row in rows(part)} for part in run.by_system.values()]
        means = [(row.factor, *(_mean(part.get(row.factor)) for part in parts)) for row in rows(run)]
        systems = (f"{system} ({len(part.records)})" for system, part in run.by_system.items())
        console.print(figures_table("Means by system", ("factor", *systems), means))
    cost = total_cost(run.records)
    if cost is not None:
        console.print(f"Cost: {cost:.4g}")


def overview_cells(row: FactorRow, zero: str = "") -> tuple[str, ...]:
    """A factor's row in the order of `OVERVIEW`; `zero` is written where nothing is missing."""
    mean = f"{_mean(row)} of {row.high:g}" if row.n else ""
    interval = f"{row.interval.low:z.2f} to {row.interval.high:z.2f}" if row.interval else ""
    missing = (str(count or zero) for count in (row.not_assessable, row.failed))
    return row.factor, mean, interval, str(row.n), *missing


def _mean(row: FactorRow | None) -> str:
    return "" if row is None or row.mean is None else f"{row.mean:z.2f}"


def print_rows(
    console: Console, title: str, columns: Sequence[str], values: Sequence[Mapping[str, Any]]
) -> None:
    """Print a tidy table without its empty columns."""
    shown = [name for name in columns if any(value.get(name) not in (None, {}, "") for value in values)]
    rows = [[as_cell(value.get(name)) for name in shown] for value in values]
    console.print(figures_table(title, shown, rows, set(shown) - _NUMBERS))


def as_cell(value: Any) -> str:
    """Format a value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:z.3g}"
    if isinstance(value, dict) and {"low", "high"} <= value.keys():
        return f"{value['low']:z.3g} to {value['high']:z.3g}"
    if isinstance(value, dict):
        return ", ".join(f"{name}={part}" for name, part in value.items())
    return str(value)
