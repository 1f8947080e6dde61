"""A judgement as one HTML file without scripts: verdicts, the change of each factor, the conversations behind it."""

from collections.abc import Sequence
from html import escape
from math import isfinite

from ..plain_page import plain_page
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
        parts.append(f"<h2>Change of each factor</h2>{_changes(changes, margin)}")
    parts.append(_table(ordered(judgement)))
    parts += [_cases(result) for result in ordered(judgement) if result.worst]
    if told := limits(judgement):
        parts.append(f'<p class="dim">{escape(told)}</p>')
    return plain_page("Recommender quality", parts)


def _changes(changes: Sequence[RunDifference], margin: float) -> str:
    """Draw each factor's change from baseline to candidate: a mark for the mean, a bar for the interval."""
    ends = [end for d in changes for end in ((d.low, d.high) if isfinite(d.low) else (d.loss,))]
    widest = max(1.5 * margin, *map(abs, ends)) or 1.0

    def mark(kind: str, at: float, long: float = 0.0) -> str:
        left, width = 50 * (1 + at / widest), 50 * long / widest
        return f'<i class="{kind}" style="left:{left:.1f}%;width:{width:.1f}%"></i>'

    rows = [
        f'<tr><th scope="row">{escape(d.factor)}</th><td class="number">{signed(-d.loss, 2)}</td><td class="track">'
        f"{mark('zero', 0)}{mark('margin', -margin)}{mark('mean', -d.loss)}"
        f"{mark('interval', -d.high, d.high - d.low) if isfinite(d.low) else ''}</td></tr>"
        for d in changes
    ]
    told = "Marks are means, bars 95 % intervals. The solid line is no change, the dashed one the margin."
    return f'<table>{"".join(rows)}</table><p class="dim">{told}</p>'


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
