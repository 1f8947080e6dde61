"""`make demo`: a good and an awful conversation, judged, with the faults that were found."""

import json
import sys

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from service.cli.records import Record
from service.cli.score_view import score_of
from service.cli.scores import faults_of
from service.library import close, score
from service.settings import Settings
from tools.service_process import ROOT

STORY = {
    "good": "[bold]A good conversation.[/] The recommender listens, asks and explains.",
    "broken": "[bold]An awful one.[/] The user wants a western, and gets the same horror film again and again.",
}
"""Files of `examples/logs`."""
SPEAKERS = {"user": ("user", "cyan"), "assistant": ("recommender", "magenta")}


def main() -> None:
    """Judge both conversations, and show what was found in each."""
    console = Console(width=min(Console().width if sys.stdout.isatty() else 130, 150))
    console.print("[bold]crs-eval[/] judges two conversations by the embedded judge: no key, no network.\n")
    table = Table(title="Factor by factor, 0 to 4", title_justify="left")
    table.add_column("factor")
    scores: dict[str, list[str]] = {}
    for name, lead in STORY.items():
        log = json.loads((ROOT / "examples" / "logs" / f"{name}.json").read_text())["log"]
        answer = score(log, judge="builtin", settings=Settings())
        record = Record(name, None, "/score", "", answer.model_dump(mode="json"), None)
        console.print(lead)
        show(console, log, record)
        table.add_column("good" if name == "good" else "awful", justify="right")
        for verdict in record.verdicts:
            scores.setdefault(verdict["factor"], []).append(_points(verdict["score"]))
    for factor, points in scores.items():
        table.add_row(factor, *points)
    console.print(table)
    console.print(
        "Near 4 means that the judge sees no fault, not that there is none. n/a: nothing in the conversation calls for it."
    )
    console.print(
        "\n[bold]Now yours:[/] save a chat as lines of [cyan]User: ...[/] and [cyan]Bot: ...[/], then\n"
        "  .venv/bin/crs-eval score chat.txt\n"
        "[cyan]make serve[/] keeps the service and its page on http://127.0.0.1:8000/."
    )
    close()


def show(console: Console, log: dict[str, list[dict[str, str]]], record: Record) -> None:
    """Print a conversation with its faulty replies in red, its score, and each fault with its quotes."""
    faults = faults_of(record)
    faulty = {fault.message for fault in faults}
    lines = Text()
    for index, message in enumerate(log["messages"]):
        speaker, colour = SPEAKERS[message["role"]]
        lines.append(f"{index:>2} ", "dim").append(f"{speaker:<12}", colour)
        lines.append(f"{message['content']}\n", "red" if index in faulty else "")
    lines.rstrip()
    console.print(
        Panel(lines, title=f"[bold]examples/logs/{record.conversation}.json[/]", title_align="left")
    )
    console.print(f"Score: {_points(score_of(record))} of 4, an estimate of what people would give")
    console.print("Faults: " + ("" if faults else "the judge found none"))
    found = Table(box=None, show_header=False)
    for fault in faults:
        found.add_row(f"[bold red]{fault.fault}[/]", escape(fault.text))
    console.print(found)


def _points(value: float | None) -> str:
    colour = (
        "dim"
        if value is None
        else ("red", "dark_orange", "yellow", "green_yellow", "green")[int(value + 0.5)]
    )
    return f"[{colour}]{'n/a' if value is None else f'{value:.2f}'}[/]"


if __name__ == "__main__":
    main()
