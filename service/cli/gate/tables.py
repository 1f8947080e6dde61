"""Judgements on a terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .results import GateJudgement, RuleState
from .telling import SIGNS, headline, limits, ordered, shown_cases

_STYLES = {
    RuleState.PASS: "green",
    RuleState.FAIL: "red",
    RuleState.INCONCLUSIVE: "yellow",
    RuleState.ERROR: "red",
    RuleState.NOT_LIMITED: "dim",
    RuleState.SKIPPED: "dim",
}


def print_judgement(console: Console, judgement: GateJudgement) -> None:
    """Print the headline, the rules, the gravest first, then why the gate had to stop, and the verdict."""
    if judgement.candidate is not None:
        console.print(headline(judgement), markup=False, highlight=False, soft_wrap=True)
    table = Table(title="Rules", title_justify="left", show_lines=False)
    for name in ("rule", "verdict", "why"):
        table.add_column(name, no_wrap=name == "verdict")
    stop = str(judgement.error)
    for result in [one for one in ordered(judgement) if one.detail != stop]:
        sign = f"[{_STYLES[result.state]}]{SIGNS[result.state]}[/]"
        table.add_row(escape(result.name), sign, escape(result.detail))
    if table.row_count:
        console.print(table)
    for case in shown_cases(judgement)[:5]:
        told = f"  {case.conversation}, {case.factor}: {case.text}"
        console.print(told, markup=False, highlight=False)
    if judgement.error is not None:
        console.print(str(judgement.error), markup=False, highlight=False, soft_wrap=True)
    for note in judgement.notes:
        console.print(note, style="yellow", markup=False, highlight=False)
    if told := limits(judgement):
        console.print(told, style="dim", markup=False, highlight=False, soft_wrap=True)
    console.print(f"Verdict: [bold {_STYLES[judgement.state]}]{SIGNS[judgement.state]}[/]")
