"""Results on a terminal."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..domain.plurals import counted
from ..statistics.permutation import mean_interval
from .records import Record
from .scores import MEAN_OF_FACTORS, OVERALL, OVERALL_SPAN, FactorScores, Run

_NUMBERS = frozenset({"value", "n", "k", "turn", "interval", "difference", "p", "p_adjusted"})
OVERVIEW = ("factor", "mean", "95 % interval", "scored", "not assessable", "failed")


def rows(run: Run) -> list[FactorScores]:
    """Return a row per factor, their mean if there are several, and `overall`: that of debates, or else of the answers."""
    made = list(run.factors.values())
    if len(made) > 1:
        made.append(_of_answers(MEAN_OF_FACTORS, run, run.mean))
    if run.debates is not None:
        return [*made, run.debates]
    return [*made, _of_answers(OVERALL, run, run.overall)] if run.overall else made


def _of_answers(name: str, run: Run, scores: dict[str, float]) -> FactorScores:
    missing = Counter({"no score": len(run.keys) - len(scores)})
    return FactorScores(name, 0.0, OVERALL_SPAN, scores, reasons=missing)


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


def overview_cells(row: FactorScores, zero: str = "") -> tuple[str, ...]:
    """A factor's row in the order of `OVERVIEW`; `zero` is written where nothing is missing."""
    scores = list(row.scores.values())
    mean = f"{_mean(row)} of {row.high:g}" if scores else ""
    interval = mean_interval(scores) if len(scores) > 1 else None
    bounds = f"{interval.low:z.2f} to {interval.high:z.2f}" if interval else ""
    missing = (str(sum(codes.values()) or zero) for codes in (row.reasons, row.failures))
    return row.factor, mean, bounds, str(len(scores)), *missing


def _mean(row: FactorScores | None) -> str:
    return f"{sum(row.scores.values()) / len(row.scores):z.2f}" if row and row.scores else ""


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
