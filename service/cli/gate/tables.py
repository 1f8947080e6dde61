"""Judgements on a terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..tables import figures_table
from .fault_changes import FaultChange
from .paired import signed
from .results import CONVERSATIONS, GateJudgement, RuleResult, RuleState
from .telling import SIGNS, headline, ordered, shown_cases

_CHANGES = ("fault", "before", "now", "gained", "lost", "p", "n")
_DIFFERENCES = ("factor", "before", "now", "change", "95 % interval", "p", "n", "visible drop")
_STYLES = {
    RuleState.PASS: "green",
    RuleState.FAIL: "red",
    RuleState.INCONCLUSIVE: "yellow",
    RuleState.ERROR: "red",
    RuleState.SKIPPED: "dim",
}


def print_judgement(console: Console, judgement: GateJudgement) -> None:
    """The rules, the gravest first, then why the gate had to stop, and the verdict."""
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
    console.print(f"Verdict: [bold {_STYLES[judgement.state]}]{SIGNS[judgement.state]}[/]")


def print_differences(console: Console, judgement: GateJudgement) -> None:
    """Tables of the differences between two runs, faults first."""
    changes = [result.change for result in judgement.results if result.change]
    if changes:
        lines = map(_change, sorted(changes, key=lambda one: one.adjusted))
        title = "Faults, by the share of conversations that show them"
        console.print(figures_table(title, _CHANGES, lines))
    results = [one for one in judgement.results if one.factor != CONVERSATIONS and not one.about_faults]
    console.print(figures_table(headline(judgement), _DIFFERENCES, map(_difference, results)))
    console.print(
        "p is one-sided, for a loss, and corrected for all factors. A drop is visible if four of five runs like these would fail for it."
    )
    undecided = [f"{one.factor}: {one.detail}" for one in results if one.state is not RuleState.PASS]
    for told in (*undecided, *judgement.notes):
        console.print(told, style="dim", markup=False, highlight=False)


def _change(one: FaultChange) -> tuple[str, ...]:
    shares = (f"{one.before:.1%}", f"{one.now:.1%}", str(len(one.gained)), str(len(one.lost)))
    return one.fault, *shares, f"{one.adjusted:.3g}", str(one.n)


def _difference(result: RuleResult) -> tuple[str, ...]:
    if (d := result.difference) is None:
        return (result.factor,)
    return (
        result.factor,
        f"{d.baseline:.2f}",
        f"{d.candidate:.2f}",
        signed(-d.loss, 2),
        f"{signed(-d.high, 2)} to {signed(-d.low, 2)}",
        f"{d.adjusted:.3g}",
        str(d.n),
        "" if result.visible is None else f"{result.visible:.2f}",
    )
