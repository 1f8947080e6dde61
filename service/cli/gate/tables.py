"""Judgements on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .calibrate import Calibration
from .fault_changes import FaultChange
from .paired import signed
from .results import CONVERSATIONS, Judgement, State
from .telling import SIGNS, headline, ordered, shown_cases

_STYLES = {
    State.PASS: "green",
    State.FAIL: "red",
    State.INCONCLUSIVE: "yellow",
    State.ERROR: "red",
    State.SKIPPED: "dim",
}


def print_judgement(console: Console, judgement: Judgement) -> None:
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


def print_differences(console: Console, judgement: Judgement) -> None:
    """Tables of the differences between two runs, faults first."""
    _print_changes(console, [result.change for result in judgement.results if result.change])
    table = Table(title=escape(headline(judgement)), title_justify="left")
    for name in ("factor", "before", "now", "change", "95 % interval", "p", "n", "visible drop"):
        table.add_column(name, justify="left" if name == "factor" else "right")
    undecided: list[str] = []
    for result in judgement.results:
        if result.factor == CONVERSATIONS or result.about_faults:
            continue
        if result.state is not State.PASS:
            undecided.append(f"{result.factor}: {result.detail}")
        if (d := result.difference) is None:
            table.add_row(escape(result.factor), "", "", "", "", "", "", style="dim")
            continue
        interval = f"{signed(-d.high, 2)} to {signed(-d.low, 2)}"
        numbers = (
            f"{d.baseline:.2f}",
            f"{d.candidate:.2f}",
            signed(-d.loss, 2),
            interval,
            f"{d.adjusted:.3g}",
        )
        visible = "" if result.visible is None else f"{result.visible:.2f}"
        table.add_row(escape(result.factor), *numbers, str(d.n), visible)
    console.print(table)
    console.print(
        "p is one-sided, for a loss, over all factors. A drop is visible if four of five runs like these would fail for it."
    )
    for told in (*undecided, *judgement.notes):
        console.print(told, style="dim", markup=False, highlight=False)


def _print_changes(console: Console, changes: Sequence[FaultChange]) -> None:
    if not changes:
        return
    table = Table(title="Faults, by the share of conversations that show them", title_justify="left")
    for name in ("fault", "before", "now", "gained", "lost", "p", "n"):
        table.add_column(name, justify="left" if name == "fault" else "right")
    for one in sorted(changes, key=lambda one: one.adjusted):
        shares = (f"{one.before:.1%}", f"{one.now:.1%}", str(len(one.gained)), str(len(one.lost)))
        table.add_row(escape(one.fault), *shares, f"{one.adjusted:.3g}", str(one.n))
    console.print(table)


def print_calibration(console: Console, made: Calibration) -> None:
    """Tables of the results that an unchanged system would have to expect."""
    console.print(
        f"An unchanged system, {made.resamplings} samples of {made.size} from {made.conversations} conversations: "
        f"{made.flip_rate:.1%} fail, {made.states[State.INCONCLUSIVE] / made.resamplings:.1%} are inconclusive.",
        highlight=False,
    )
    table = Table(title="What the gate can see", title_justify="left")
    for name in ("factor", "n", "spread between runs", "smallest visible drop"):
        table.add_column(name, justify="left" if name == "factor" else "right")
    for one in made.sensitivities:
        table.add_row(escape(one.factor), str(one.n), f"{one.spread:.2f}", f"{one.visible:.2f}")
    console.print(table)
    if all(one.spread == 0 for one in made.sensitivities):
        told = "The two runs are equal: this judge has no noise. Judge a second run of the system to see the system's noise."
        console.print(told, style="yellow")
