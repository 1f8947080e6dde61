"""48 simulated users, each in a whole session with the example recommender, judged and summed up.

    python -m tools.simulate_personas --out build/sessions.jsonl --weakness oversells

Sessions and verdicts go over HTTP; nothing needs a key or a network. Ends with 1 where a session
did not come to its own end.
"""

import argparse
import asyncio
import json
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from tools.example_crs import running_crs
from tools.service_process import ROOT, running_service
from tools.simulated_users import CATALOGUES, SimulatedUser, simulated_users

CRS = "example-crs"
AT_ONCE = 8
FINISHED = frozenset({"accepted", "gave_up", "turn_limit"})
DIMENSIONS = {
    "dialogue-actions": "actions",
    "language-expression": "language",
    "recommended-items": "items",
    "response-content": "content",
}


def main() -> int:
    """Run all sessions, judge them, write them down, print what came out."""
    options = _options()
    out = Path(options.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        running_crs(options.weakness) as crs,
        running_service(
            {"CATALOGS": str(ROOT / "examples" / "crs"), "CRS_ENDPOINTS": f"{CRS}={crs}/reply"}
        ) as service,
    ):
        rows = asyncio.run(_run_all(service))
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    console = Console(width=None if sys.stdout.isatty() else 130)
    _print(console, rows, options.weakness)
    console.print(f"The sessions with their verdicts are in {out}.")
    unfinished = [row for row in rows if row["outcome"] not in FINISHED]
    for row in unfinished:
        console.print(f"[red]{row['log']['id']} did not end by itself: {row['outcome']} ({row['detail']})")
    return 1 if unfinished else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default="build/simulations/sessions.jsonl")
    parser.add_argument("--weakness", action="append", default=[], help="of the recommender; may be repeated")
    return parser.parse_args()


async def _run_all(service: str) -> list[dict[str, Any]]:
    places = asyncio.Semaphore(AT_ONCE)
    async with httpx2.AsyncClient(base_url=service, timeout=120) as client:

        async def run(user: SimulatedUser) -> dict[str, Any]:
            async with places:
                return await _session(user, client)

        return list(await asyncio.gather(*map(run, simulated_users())))


async def _session(user: SimulatedUser, client: httpx2.AsyncClient) -> dict[str, Any]:
    """One session with its verdicts, as `/simulate` answers it."""
    body = {
        "simulator": {"type": "scripted", "seed": user.seed},
        "log": user.log,
        "crs": CRS,
        "score": ["core"],
        "catalog": CATALOGUES[user.domain],
    }
    answer = await client.post("/simulate", json=body)
    if answer.is_error:
        raise SystemExit(f"/simulate answered {answer.status_code}: {answer.text}")
    row: dict[str, Any] = answer.json()
    return row


def _print(console: Console, rows: Sequence[dict[str, Any]], weaknesses: Sequence[str]) -> None:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["log"]["user"]["persona"]].append(row)
    weak = f" that {' and '.join(weaknesses)}" if weaknesses else ""
    table = Table(title=f"{len(rows)} sessions with the example recommender{weak}", title_justify="left")
    table.add_column("persona")
    for column in ("sessions", "accepted", "gave up", "rounds", "satisfaction", *DIMENSIONS.values()):
        table.add_column(column, justify="right")
    for name, group in groups.items():
        table.add_row(name, *_cells(group))
    table.add_section()
    table.add_row("all", *_cells(rows))
    console.print(table)


def _cells(rows: Sequence[dict[str, Any]]) -> list[str]:
    reasons = Counter(row["outcome"] for row in rows)
    rounds = [sum(m["role"] == "assistant" for m in row["log"]["messages"]) for row in rows]
    satisfied = [row["satisfaction"] for row in rows if row["satisfaction"] is not None]
    means = [
        [m for row in rows if (m := row["summaries"][0]["dimensions"].get(dimension)) is not None]
        for dimension in DIMENSIONS
    ]
    return [
        str(len(rows)),
        str(reasons["accepted"]),
        str(reasons["gave_up"]),
        f"{statistics.mean(rounds):.1f}",
        f"{statistics.mean(satisfied):.1f}" if satisfied else "n/a",
        *(f"{statistics.mean(values):.2f}" if values else "n/a" for values in means),
    ]


if __name__ == "__main__":
    sys.exit(main())
