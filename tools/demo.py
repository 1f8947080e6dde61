"""`make demo`: the whole way from example conversations to verdicts, over HTTP, for people to look at."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tools.service_process import ROOT, running_service

ORDER = ["good", "mediocre", "broken", "restaurant", "shop", "travel", "live"]
SPEAKERS = {
    "user": ("user", "cyan"),
    "assistant": ("recommender", "magenta"),
    "tool": ("tool", "dim"),
    "system": ("instructions", "dim"),
}
COLOURS = {0: "red", 1: "dark_orange", 2: "yellow", 3: "green_yellow", 4: "green"}


def main() -> int:
    """Judge every example log and print what came back."""
    console = Console(width=min(Console().width if sys.stdout.isatty() else 130, 150))
    with running_service({}) as url:
        console.print(f"[bold]crs-eval[/] answers at {url}, with the embedded judge (no key, no network).\n")
        paths = sorted((ROOT / "examples" / "logs").glob("*.json"), key=lambda path: ORDER.index(path.stem))
        answers = {path.stem: judge(console, url, path) for path in paths}
        overview(console, answers)
    console.print(
        "\n[bold]Now yours:[/] `make serve` keeps the service running, then\n"
        "  curl -s localhost:8000/score -H 'Content-Type: application/json' -d @examples/logs/live.json\n"
        "The contract is at /docs; the factors with their standards at /factors."
    )
    return 0


def judge(console: Console, url: str, path: Path) -> dict[str, Any]:
    """Post one log to `/score`, show it and its verdicts by dimension."""
    body = json.loads(path.read_text())
    response = httpx2.post(f"{url}/score", json=body, timeout=60)
    response.raise_for_status()
    answer: dict[str, Any] = response.json()
    factors = {factor["slug"]: factor for factor in httpx2.get(f"{url}/factors").json()["factors"]}
    console.print(
        Panel(
            _transcript(body["log"]),
            title=f"[bold]{path.stem}[/] - {body['log']['domain']}",
            title_align="left",
        )
    )
    console.print(_verdicts(answer, factors))
    console.print()
    return answer


def _transcript(log: dict[str, Any]) -> Text:
    lines = Text()
    for index, message in enumerate(log["messages"]):
        speaker, colour = SPEAKERS[message["role"]]
        lines.append(f"{index:>2} ", "dim")
        lines.append(f"{speaker:<12}", colour)
        lines.append(f"{' '.join(_said(message))}\n")
    lines.rstrip()
    return lines


def _said(message: dict[str, Any]) -> Iterator[str]:
    """Yield the message's text, the titles of its cards, and the names of the tools that it calls."""
    if message["role"] != "system" and isinstance(message.get("content"), str):
        yield message["content"]
    for part in message.get("parts") or ():
        match part["type"]:
            case "items":
                yield f"[{' | '.join(item if isinstance(item, str) else item.get('title') or item['id'] for item in part['items'])}]"
            case "tool_call":
                yield f"[calls {part['name']}]"
            case "tool_result":
                yield part["content"]
    for call in message.get("tool_calls") or ():
        yield f"[calls {call['function']['name']}]"


def _verdicts(answer: dict[str, Any], factors: dict[str, Any]) -> Table:
    table = Table(expand=True, pad_edge=False)
    table.add_column("factor", no_wrap=True)
    table.add_column("score", no_wrap=True)
    table.add_column("why", ratio=1)
    dimension = None
    for verdict in answer["verdicts"]:
        factor = factors[verdict["factor"]]
        if factor["dimension"] != dimension:
            dimension = factor["dimension"]
            mean = answer["summaries"][0]["dimensions"][dimension]
            table.add_section()
            table.add_row(f"[bold]{dimension}[/]", "" if mean is None else f"[bold]{mean:.2f}[/]", "")
        table.add_row(f"  {factor['name']}", _score(verdict), _why(verdict))
    return table


def _score(verdict: dict[str, Any]) -> Text:
    if verdict["status"] != "scored":
        return Text("n/a" if verdict["status"] == "not_assessable" else "failed", "dim")
    level, most = verdict["level"], verdict["scale"]["max"]
    return Text("●" * level + "○" * (most - level) + f" {verdict['score']:g}", COLOURS[level])


def _why(verdict: dict[str, Any]) -> str:
    if verdict["status"] != "scored":
        return f"[dim]{escape(verdict['reason']['detail'])}[/]"
    quotes = [
        f"[dim]message {evidence['message']}:[/] “{escape(evidence['quote'])}”"
        + (f" [dim]({evidence['effect']:+z.1f})[/]" if round(evidence["effect"] or 0, 1) else "")
        for evidence in verdict["evidence"][:3]
        if evidence["message"] is not None and evidence["quote"]
    ]
    flags = [f"[yellow]{escape(flag['code'])}[/]" for flag in verdict["flags"]]
    return "\n".join([escape(verdict["rationale"]), *quotes, *([" ".join(flags)] if flags else [])])


def overview(console: Console, answers: dict[str, dict[str, Any]]) -> None:
    """One row a conversation: means by dimension."""
    table = Table(title="Means by dimension, 0-4", title_justify="left")
    table.add_column("conversation")
    dimensions = list(next(iter(answers.values()))["summaries"][0]["dimensions"])
    for name in [*dimensions, "mean", "assessed"]:
        table.add_column(name, justify="right")
    for name, answer in answers.items():
        summary = answer["summaries"][0]
        cells = [summary["dimensions"][dimension] for dimension in dimensions] + [summary["mean"]]
        table.add_row(name, *(_mean(cell) for cell in cells), f"{summary['assessed']} of 12")
    console.print(table)


def _mean(value: float | None) -> Text:
    return Text("n/a", "dim") if value is None else Text(f"{value:.2f}", COLOURS[min(4, int(value + 0.5))])


if __name__ == "__main__":
    sys.exit(main())
