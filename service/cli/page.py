"""A report as one HTML file that needs nothing else: no script, no address, figures inside."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from . import figures
from .inputs import Json
from .overview import FactorRow, rows, total_cost
from .records import Record
from .scores import Run, overall

WORST = 25
MOST_EVIDENCE = 3


def report(run: Run, title: str = "Conversations judged") -> str:
    """A run: figures, a table by factor, and the conversations with the lowest means."""
    table = rows(run)
    return page(title, [_facts(run), *_figures(table), _table(table), *_worst(run), *_gaps(run)])


def page(title: str, parts: Sequence[str]) -> str:
    """These parts as a whole document."""
    style = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    # Log text cannot fetch or run anything, even if some escape were forgotten.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><h1>{escape(title)}</h1>{''.join(parts)}</body></html>\n"
    )


def _facts(run: Run) -> str:
    judges = dict.fromkeys(
        f"{v['judge']['name']}:{v['judge']['model']}" if v["judge"]["model"] else v["judge"]["name"]
        for record in run.records
        for v in record.verdicts
    )
    cost = total_cost(run.records)
    facts = [
        f"{len(run.records)} conversations from {escape(run.name)}",
        f"judged by {escape(', '.join(judges) or 'nobody')}",
        f"comparison key {escape(', '.join(sorted(set(run.keys.values()))) or 'none')}",
        *([f"cost {cost:.4g}"] if cost is not None else []),
    ]
    return f'<p class="dim">{"; ".join(facts)}.</p>'


def _figures(table: Sequence[FactorRow]) -> list[str]:
    if not table:
        return ["<p>No factor was judged.</p>"]
    return [
        f"<h2>Means</h2>{figures.means(table)}",
        f"<h2>Levels</h2>{figures.levels(table)}",
    ]


def _table(table: Sequence[FactorRow]) -> str:
    head = ("factor", "mean", "95 % interval", "scored", "not assessable", "failed")
    heads = "".join(f"<th{' class=number' if i else ''}>{name}</th>" for i, name in enumerate(head))
    body = "".join(
        f"<tr><td>{escape(row.factor)}</td>"
        + "".join(f'<td class="number">{text}</td>' for text in _cells(row))
        + "</tr>"
        for row in table
    )
    return f"<h2>Numbers</h2><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _cells(row: FactorRow) -> list[str]:
    mean = "" if row.mean is None else f"{row.mean:.2f}"
    interval = "" if row.interval is None else f"{row.interval[0]:.2f} to {row.interval[1]:.2f}"
    return [mean, interval, str(row.n), str(row.not_assessable), str(row.failed)]


def _worst(run: Run) -> list[str]:
    means = overall(run, list(run.factors))
    lowest = sorted(means, key=lambda name: (means[name], name))[:WORST]
    by_name = {record.conversation: record for record in run.records}
    if not lowest:
        return []
    told = [f"<h2>The {len(lowest)} conversations with the lowest means</h2>"]
    return told + [_conversation(by_name[name], means[name]) for name in lowest]


def _conversation(record: Record, mean: float) -> str:
    system = f" <span class=dim>{escape(record.system)}</span>" if record.system else ""
    head = f"<summary><b>{mean:.2f}</b> {escape(record.conversation)}{system}</summary>"
    body = "".join(
        f"<p><b>{escape(v['factor'])}</b> {_score(v)} {escape(v['rationale'] or v['reason']['detail'])}</p>{_evidence(v)}"
        for v in sorted(record.verdicts, key=_badness)
    )
    return f"<details>{head}{body}</details>"


def _badness(verdict: Json) -> float:
    scale = verdict["scale"]
    if verdict["score"] is None:
        return 2.0
    return float((verdict["score"] - scale["min"]) / (scale["max"] - scale["min"]))


def _score(verdict: Json) -> str:
    if verdict["score"] is None:
        return f"<span class=dim>{escape(verdict['status'].replace('_', ' '))}</span>"
    return f"{verdict['score']:g} of {verdict['scale']['max']}."


def _evidence(verdict: Json) -> str:
    quoted = [e for e in verdict["evidence"] if e["quote"]][:MOST_EVIDENCE]
    return "".join(
        f"<blockquote>message {'?' if e['message'] is None else e['message']}: {escape(e['quote'])}</blockquote>"
        for e in quoted
    )


def _gaps(run: Run) -> list[str]:
    missing = run.unanswered
    if not missing:
        return []
    items = "".join(
        f"<li>{escape(r.conversation)}: {escape(str((r.failure or {}).get('detail')))}</li>" for r in missing
    )
    return [f"<h2>Without an answer</h2><ul>{items}</ul>"]
