"""`make demo`: a good and an awful conversation, judged over HTTP, with the faults that were found."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import httpx2
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from service.cli.found_faults import FoundFault, faults_of
from service.cli.records import Record
from service.cli.score_view import score_of
from tools.service_process import ROOT, running_service

GOOD, AWFUL = "good", "broken"
"""Files of `examples/logs`."""
SPEAKERS = {
    "user": ("user", "cyan"),
    "assistant": ("recommender", "magenta"),
}
COLOURS = {0: "red", 1: "dark_orange", 2: "yellow", 3: "green_yellow", 4: "green"}


def main() -> int:
    """Judge a good and an awful conversation, and show what was found in each."""
    console = Console(width=min(Console().width if sys.stdout.isatty() else 130, 150))
    with running_service({}) as url:
        console.print(
            "[bold]crs-eval[/] judges two conversations by the embedded judge: no key, no network.\n"
        )
        records = {name: judge(url, name) for name in (GOOD, AWFUL)}
    console.print("[bold]A good conversation.[/] The recommender listens, asks and explains.")
    show(console, records[GOOD])
    console.print(
        "[bold]An awful one.[/] The user wants a western, and gets the same horror film again and again."
    )
    show(console, records[AWFUL])
    console.print(_factors(records))
    console.print(
        "Near 4 means that the judge sees no fault, not that there is none. n/a: nothing in the conversation calls for it."
    )
    console.print(
        "\n[bold]Now yours:[/] save a chat as lines of [cyan]User: ...[/] and [cyan]Bot: ...[/], then\n"
        "  .venv/bin/crs-eval score chat.txt\n"
        "[cyan]make serve[/] keeps the service and its page on http://127.0.0.1:8000/."
    )
    return 0


def judge(url: str, name: str) -> Record:
    """Post an example log to `/score`. Raises HTTPStatusError."""
    response = httpx2.post(f"{url}/score", json=_request(name), timeout=120)
    response.raise_for_status()
    return Record(name, None, "/score", "", response.json(), None)


def _request(name: str) -> dict[str, Any]:
    request: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / f"{name}.json").read_text())
    return request


def show(console: Console, record: Record) -> None:
    """Print a conversation with its faulty replies in red, its score, and each fault with its quotes."""
    faults = faults_of(record)
    panel = Panel(
        _transcript(_request(record.conversation)["log"], faults),
        title=f"[bold]examples/logs/{record.conversation}.json[/]",
        title_align="left",
    )
    console.print(panel)
    console.print(
        Text("Score: ")
        .append_text(_points(score_of(record)))
        .append(" of 4, an estimate of what people would give")
    )
    console.print("Faults: " + ("" if faults else "the judge found none"))
    found = Table(box=None, show_header=False)
    for fault in faults:
        found.add_row(f"[bold red]{fault.fault}[/]", escape(fault.text))
    console.print(found)


def _transcript(log: dict[str, Any], faults: Sequence[FoundFault]) -> Text:
    faulty = {fault.message for fault in faults}
    lines = Text()
    for index, message in enumerate(log["messages"]):
        speaker, colour = SPEAKERS[message["role"]]
        lines.append(f"{index:>2} ", "dim")
        lines.append(f"{speaker:<12}", colour)
        lines.append(f"{message['content']}\n", "red" if index in faulty else "")
    lines.rstrip()
    return lines


def _factors(records: dict[str, Record]) -> Table:
    """Return the scores of both conversations, side by side."""
    table = Table(title="Factor by factor, 0 to 4", title_justify="left")
    for name in ("factor", "good", "awful"):
        table.add_column(name, justify="left" if name == "factor" else "right")
    for pair in zip(records[GOOD].verdicts, records[AWFUL].verdicts, strict=True):
        table.add_row(pair[0]["factor"], *(_points(verdict["score"]) for verdict in pair))
    return table


def _points(value: float | None) -> Text:
    return Text("n/a", "dim") if value is None else Text(f"{value:.2f}", COLOURS[min(4, int(value + 0.5))])


if __name__ == "__main__":
    sys.exit(main())
