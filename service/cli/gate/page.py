"""A judgement as one HTML file without scripts: verdicts, the change of each factor, the conversations behind it."""

from collections.abc import Sequence
from html import escape
from math import isfinite

from ..plain_page import plain_page
from ..plots import PlotRow, interval_plot
from .paired import RunDifference, signed
from .results import GateJudgement, RuleResult
from .telling import SIGNS, headline, limits, ordered


def gate_page(judgement: GateJudgement, margin: float) -> str:
    """The whole document."""
    state = judgement.state
    parts = [
        f'<p class="{state.value}"><b>{SIGNS[state]}</b></p>',
        f"<p>{escape(headline(judgement))}</p>",
        *(f'<p class="dim">{escape(note)}</p>' for note in judgement.notes),
    ]
    if changes := [d for r in judgement.results if (d := r.difference) is not None]:
        parts.append(f"<h2>Change of each factor</h2>{_plot(changes, margin)}")
    parts.append(_table(ordered(judgement)))
    parts += [_cases(result) for result in ordered(judgement) if result.worst]
    if told := limits(judgement):
        parts.append(f'<p class="dim">{escape(told)}</p>')
    return plain_page("Recommender quality", parts)


def _plot(changes: Sequence[RunDifference], margin: float) -> str:
    """Each factor's change from baseline to candidate with its interval; the margin is dashed."""
    rows = [
        PlotRow(d.factor, -d.loss, (-d.high, -d.low) if isfinite(d.low) else None, signed(-d.loss, 2))
        for d in changes
    ]
    widest = max([margin * 1.5, *(abs(end) for row in rows for end in row.interval or (row.value or 0.0,))])
    lines = [(0.0, "zero", "no change"), (-margin, "margin", "margin")]
    return interval_plot(
        "Change of each factor with its 95 % interval", rows, (-widest or -1.0, widest or 1.0), lines
    )


def _table(results: Sequence[RuleResult]) -> str:
    rows = "".join(
        f'<tr><td>{escape(r.name)}</td><td class="{r.state.value}">{SIGNS[r.state]}</td><td>{escape(r.detail)}</td></tr>'
        for r in results
    )
    return f"<h2>Rules</h2><table><thead><tr><th>rule</th><th>verdict</th><th>why</th></tr></thead><tbody>{rows}</tbody></table>"


def _cases(result: RuleResult) -> str:
    items = "".join(
        f"<li><b>{escape(case.conversation)}</b> {escape(case.text)}</li>" for case in result.worst
    )
    return f"<details><summary>{escape(result.name)}: where it shows</summary><ul>{items}</ul></details>"
