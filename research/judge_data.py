"""`make -C research data`: posts real conversations to `/score` and says what came back. Labels stay here.

    python -m research.judge_data FOLDER

Every log of `crsarena_eval.dev.jsonl` (no catalogue) and of `concept_*.sample.jsonl` (with the
catalogue of the same data) must be answered: no failed verdict, and at least 6 scored factors on every log of the first. At least
7 where a reply recommends something, 10 on every log of the others."""

import contextlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tools.service_process import running_service

LOG_FIELDS = ("id", "system", "domain", "messages", "user", "outcome")
MARKED = re.compile(r"[A-Z][\w'!&,.:-]+ \((?:19|20)\d\d\)")
MESSAGE_FIELDS = ("role", "content", "recommendations")


@dataclass
class Tally:
    """Answers for one file."""

    logs: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    scored: Counter[int] = field(default_factory=Counter)
    by_factor: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def logs_of(path: Path) -> Iterator[dict[str, Any]]:
    """The file's logs without labels, in the contract's fields alone."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        log = {name: row[name] for name in LOG_FIELDS if name in row}
        log["messages"] = [
            {name: message[name] for name in MESSAGE_FIELDS if name in message} for message in row["messages"]
        ]
        yield log


def names_a_film(log: dict[str, Any]) -> bool:
    """Return whether a reply names a film in the way that the data mark them: a title with its year, that
    the user had not brought up. What the judge itself makes of the reply plays no part."""
    brought_up = ""
    for message in log["messages"]:
        if message["role"] == "user":
            brought_up += message["content"]
        elif any(title not in brought_up for title in MARKED.findall(message["content"])):
            return True
    return False


def judge(client: httpx2.Client, path: Path, catalogue: str | None, least: int, console: Console) -> Tally:
    """Post every log of one file."""
    tally = Tally()
    for log in track(list(logs_of(path)), description=path.name, console=console):
        body = {"log": log, **({"catalog": catalogue} if catalogue else {})}
        response = client.post("/score", json=body)
        tally.logs += 1
        if response.status_code != 200:
            tally.faults.append(f"{log['id']}: {response.status_code} {response.text[:200]}")
            continue
        verdicts = response.json()["verdicts"]
        statuses = Counter(verdict["status"] for verdict in verdicts)
        tally.statuses += statuses
        tally.scored[statuses["scored"]] += 1
        tally.by_factor.update(verdict["factor"] for verdict in verdicts if verdict["status"] == "scored")
        needed = max(least, 7 if names_a_film(log) else 6)
        if statuses["failed"] or statuses["scored"] < needed:
            tally.faults.append(f"{log['id']}: {dict(statuses)}, needed {needed} scored")
    return tally


@contextlib.contextmanager
def catalogues_only(folder: Path) -> Iterator[Path]:
    """A folder that holds the data's catalogues and no conversations, as the service wants it."""
    with tempfile.TemporaryDirectory() as place:
        for path in folder.glob("catalog.*.jsonl"):
            (Path(place) / path.name).symlink_to(path.resolve())
        yield Path(place)


def main() -> int:
    """Judge what is at hand; the exit code says whether every log was answered as it must be."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    console = Console()
    jobs: list[tuple[Path, str | None, int]] = [(folder / "crsarena_eval.dev.jsonl", None, 6)]
    jobs += [
        (path, f"catalog.{path.name.split('.')[0].removeprefix('concept_')}", 10)
        for path in sorted(folder.glob("concept_*.sample.jsonl"))
    ]
    if not all(path.exists() for path, _, _ in jobs) or len(jobs) == 1:
        console.print(
            f"No conversations in {folder}: nothing was judged. Name their folder: make -C research data DATA=..."
        )
        return 0
    table = Table(title="Real conversations, judged over HTTP by the embedded judge")
    for column in ("file", "logs", "scored", "not assessable", "failed", "scored factors a log", "faults"):
        table.add_column(column)
    faults: list[str] = []
    with (
        catalogues_only(folder) as catalogues,
        running_service({"CATALOGS": str(catalogues)}) as url,
        httpx2.Client(base_url=url, timeout=60) as client,
    ):
        for path, catalogue, least in jobs:
            tally = judge(client, path, catalogue, least, console)
            faults += tally.faults
            counts = ", ".join(f"{n}: {logs}" for n, logs in sorted(tally.scored.items()))
            s = tally.statuses
            table.add_row(
                path.name,
                str(tally.logs),
                str(s["scored"]),
                str(s["not_assessable"]),
                str(s["failed"]),
                counts,
                str(len(tally.faults)),
            )
    console.print(table)
    for fault in faults[:20]:
        console.print(fault, markup=False)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
