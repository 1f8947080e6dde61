"""Results on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..domain.plurals import counted
from .overview import FactorRow, rows, total_cost
from .scores import Run

MOST_ABREAST = 8
"""Systems whose means stand in columns."""


def print_overview(console: Console, run: Run) -> None:
    """One row a factor: mean, interval, how many were scored."""
    table = Table(title=counted(len(run.records), "conversation"), title_justify="left")
    table.add_column("factor")
    for name in ("mean", "95 % interval", "scored", "not assessable", "failed"):
        table.add_column(name, justify="right")
    for row in rows(run):
        mean = f"{_mean(row)} of {row.high:g}" if row.n else ""
        cells = (mean, _interval(row), str(row.n), str(row.not_assessable or ""), str(row.failed or ""))
        table.add_row(escape(row.factor), *cells)
    if table.row_count:
        console.print(table)
    _print_systems(console, run)
    cost = total_cost(run.records)
    if cost is not None:
        console.print(f"Cost: {cost:.4g}")


def _print_systems(console: Console, run: Run) -> None:
    """The means of each system beside those of the others, where there are several: factors down and
    systems across, or `overall` alone where there are too many to stand abreast."""
    runs = run.by_system
    if len(runs) < 2:
        return
    if len(runs) > MOST_ABREAST:
        _print_overall(console, runs)
        return
    table = Table(title="Means by system", title_justify="left")
    table.add_column("factor")
    for system, part in runs.items():
        table.add_column(f"{escape(system)} ({len(part.records)})", justify="right")
    means = {system: {row.factor: row for row in rows(part)} for system, part in runs.items()}
    for row in rows(run):
        table.add_row(escape(row.factor), *(_mean(of.get(row.factor)) for of in means.values()))
    console.print(table)


def _print_overall(console: Console, runs: Mapping[str, Run]) -> None:
    table = Table(title="By system", title_justify="left")
    for name in ("system", "conversations", "overall", "95 % interval"):
        table.add_column(name, justify="left" if name == "system" else "right")
    for system, part in runs.items():
        last = next(reversed(rows(part)), None)
        table.add_row(escape(system), str(len(part.records)), _mean(last), _interval(last))
    console.print(table)


def _mean(row: FactorRow | None) -> str:
    return "" if row is None or row.mean is None else f"{row.mean:z.2f}"


def _interval(row: FactorRow | None) -> str:
    return "" if row is None or row.interval is None else f"{row.interval[0]:z.2f} to {row.interval[1]:z.2f}"


def print_rows(
    console: Console, title: str, columns: Sequence[str], values: Sequence[Mapping[str, Any]]
) -> None:
    """A tidy table as it came, without the columns that are empty throughout."""
    shown = [name for name in columns if any(value.get(name) not in (None, {}, "") for value in values)]
    table = Table(title=title, title_justify="left")
    for name in shown:
        table.add_column(name, justify="right" if name in {"value", "n", "k", "turn", "interval"} else "left")
    for value in values:
        table.add_row(*(escape(told(value.get(name))) for name in shown))
    console.print(table)


def told(value: Any) -> str:
    """A cell for people."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:z.3g}"
    if isinstance(value, dict) and {"low", "high"} <= value.keys():
        return f"{value['low']:z.3g} to {value['high']:z.3g}"
    if isinstance(value, dict):
        return ", ".join(f"{name}={part}" for name, part in value.items())
    return str(value)
