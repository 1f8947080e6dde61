"""`faults` and `factors`: lists of both, without a service."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .file_formats import json_text
from .judge_commands import output

if TYPE_CHECKING:
    from ..faults import Fault

Rows = Sequence[dict[str, Any]]
ListFormat = Literal["table", "json"]
FormatOption = Annotated[ListFormat, typer.Option("--format", help="Format of the list.")]


def faults(
    names: Annotated[
        list[str] | None, typer.Argument(help="Faults to describe in full. Default: list all faults.")
    ] = None,
    *,
    form: FormatOption = "table",
) -> None:
    """List the faults that judges find in replies, with their costs. Name a fault to see its definition and an example."""
    from ..faults import load_faults
    from .names import check_names

    known = load_faults()
    check_names("fault", names or (), list(known))
    chosen = [known[name] for name in names] if names else list(known.values())
    if names and form == "table":
        for fault in chosen:
            _describe(output(), fault)
        return
    columns = ("fault", "the reply", "factor", "cost", "found by", "embedded judge sees")
    _write(form, columns, [_fault_row(fault) for fault in chosen], [asdict(fault) for fault in chosen])


def _fault_row(fault: "Fault") -> dict[str, Any]:
    found_by = ", ".join(fault.found_by) + (" (certain)" if fault.certain else "")
    return {
        "fault": fault.slug,
        "the reply": fault.wording,
        "factor": fault.home,
        "cost": f"{fault.costs[fault.home]:g}",
        "found by": found_by,
        "embedded judge sees": _sensitivity(fault.slug),
    }


def _sensitivity(slug: str) -> str:
    from ..faults.measured import load_measurements

    seen = next((one.sensitivity for one in load_measurements().get(slug, ())), None)
    return "unknown" if seen is None else f"{seen:.0%}"


def _describe(console: Console, fault: "Fault") -> None:
    console.print(f"[bold]{fault.slug}[/]: the reply {fault.wording}")
    lines = [
        fault.definition,
        *(f"Not: {one}." for one in fault.excludes),
        f"Costs, of 4: {', '.join(f'{factor} {cost:g}' for factor, cost in fault.costs.items())}.",
        f"Found by: {_fault_row(fault)['found by']}. The embedded judge finds {_sensitivity(fault.slug)} of these faults.",
        *fault.example.before,
        f"Good: {fault.example.good}",
        f"Bad: {fault.example.bad or '(no reply)'}",
    ]
    for line in lines:
        console.print(f"  {line}", markup=False)


def factors(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Factors or protocols to list. Default: all.", show_default=False),
    ] = None,
    *,
    form: FormatOption = "table",
) -> None:
    """List the factors that judges score, with their scales."""
    from .names import chosen_factors

    rows = [
        {
            "factor": one.slug,
            "protocol": str(one.protocol),
            "scale": f"{one.scale.min:g} to {one.scale.max:g}",
            "definition": one.definition,
        }
        for one in chosen_factors(names)
    ]
    _write(form, ("factor", "protocol", "scale", "definition"), rows, rows)


def _write(form: ListFormat, columns: Sequence[str], rows: Rows, values: Rows) -> None:
    if form == "json":
        sys.stdout.write(json_text(values))
        return
    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, no_wrap=name == columns[0])
    for row in rows:
        table.add_row(*(escape(row[name]) for name in columns))
    output().print(table)
