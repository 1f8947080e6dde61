"""Results on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .overview import rows, total_cost
from .scores import Run


def print_overview(console: Console, run: Run) -> None:
    """One row a factor: mean, interval, how many were scored."""
    table = Table(title=f"{len(run.records)} conversations", title_justify="left")
    table.add_column("factor")
    for name in ("mean", "95 % interval", "scored", "not assessable", "failed"):
        table.add_column(name, justify="right")
    for row in rows(run):
        mean = "" if row.mean is None else f"{row.mean:.2f}"
        interval = "" if row.interval is None else f"{row.interval[0]:.2f} to {row.interval[1]:.2f}"
        cells = (mean, interval, str(row.n), str(row.not_assessable or ""), str(row.failed or ""))
        table.add_row(escape(row.factor), *cells)
    if table.row_count:
        console.print(table)
    cost = total_cost(run.records)
    if cost is not None:
        console.print(f"Cost: {cost:.4g}")


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
        return f"{value:.3g}"
    if isinstance(value, dict) and {"low", "high"} <= value.keys():
        return f"{value['low']:.3g} to {value['high']:.3g}"
    if isinstance(value, dict):
        return ", ".join(f"{name}={part}" for name, part in value.items())
    return str(value)
