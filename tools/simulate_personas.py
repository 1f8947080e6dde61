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

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, User
from service.simulators.machine import Simulator
from service.simulators.recommender import connect
from service.simulators.scripted import Scripted
from service.simulators.session import Ended, converse, finish
from tools.example_crs import running_crs
from tools.service_process import ROOT, running_service
from tools.simulated_users import CATALOGUES, SimulatedUser, simulated_users

AT_ONCE = 8
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
        running_service({"CATALOGS": str(ROOT / "examples" / "crs")}) as service,
    ):
        rows = asyncio.run(_run_all(crs, service))
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    console = Console(width=None if sys.stdout.isatty() else 130)
    _print(console, rows, options.weakness)
    console.print(f"The sessions with their verdicts are in {out}.")
    unfinished = [row for row in rows if not row["finished"]]
    for row in unfinished:
        console.print(f"[red]{row['log']['id']} did not end by itself: {row['reason']} ({row['detail']})")
    return 1 if unfinished else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default="build/simulations/sessions.jsonl")
    parser.add_argument("--weakness", action="append", default=[], help="of the recommender; may be repeated")
    return parser.parse_args()


async def _run_all(crs: str, service: str) -> list[dict[str, Any]]:
    places = asyncio.Semaphore(AT_ONCE)
    async with httpx2.AsyncClient(timeout=60) as client:

        async def run(user: SimulatedUser) -> dict[str, Any]:
            async with places:
                return await _session(user, crs, service, client)

        return list(await asyncio.gather(*map(run, simulated_users())))


async def _session(user: SimulatedUser, crs: str, service: str, client: httpx2.AsyncClient) -> dict[str, Any]:
    """One session and its verdicts as a line of the output."""
    begun = ConversationLog(
        messages=(), domain=user.domain, user=User(user.persona, user.age_group, attributes=user.attributes)
    )
    recommender = connect("example-crs", f"{crs}/reply", client)
    ended = await finish(converse(Simulator(Scripted(user.seed)), recommender, begun, Call()))
    log = _as_json(ended, user)
    answer = await client.post(f"{service}/score", json={"log": log, "catalog": CATALOGUES[user.domain]})
    answer.raise_for_status()
    return {
        "reason": ended.reason,
        "detail": ended.detail,
        "finished": ended.finished,
        "satisfaction": ended.last.satisfaction if ended.last else None,
        "log": log,
        "verdicts": answer.json()["verdicts"],
        "summaries": answer.json()["summaries"],
    }


def _as_json(ended: Ended, user: SimulatedUser) -> dict[str, Any]:
    messages = []
    for message in ended.log.messages:
        line: dict[str, Any] = {"role": message.role.value, "content": message.content}
        line |= (
            {"recommendations": list(message.recommendations)} if message.recommendations is not None else {}
        )
        line |= {"thoughts": message.thoughts} if message.thoughts else {}
        messages.append(line)
    log = {**user.log, "messages": messages, "complete": ended.log.complete}
    if ended.log.outcome is not None:
        log["outcome"] = {"accepted": ended.log.outcome.accepted, "message": ended.log.outcome.message}
    return log


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
    reasons = Counter(row["reason"] for row in rows)
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
