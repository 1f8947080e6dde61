"""Two systems by preferences: each situation's two conversations are compared, and wins are counted against losses."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ...domain.plurals import counted
from ..connection import connected
from ..exits import CommandError, Exit
from ..inputs import Json, Source, read_logs
from ..options import PairBy
from ..records import Record, write_atomically
from ..remote import Remote
from ..run import Job, Outcome, Runner
from .comparable import shared_names
from .tally import Tally, tallied


def compare_pairwise(
    baseline: str, candidate: str, given: Mapping[str, Any], console: Console
) -> list[Tally]:
    """Compare two systems' logs, show the tallies, and write them where `out` says. Raises CommandError where nothing can be
    compared, or not everything was."""
    out: Path | None = given["out"]
    if out is not None and out.suffix != ".json":
        raise CommandError(f"--out {out}: with --pairwise this is a .json file.")
    records = preferences(baseline, candidate, given, console)
    tallies = list(tallied(records))
    _show(tallies, len(records), console)
    if out is not None:
        rows = [_row(one) for one in tallies]
        kept = [{"conversation": one.conversation, "answer": one.answer} for one in records]
        write_atomically(
            out, json.dumps({"tallies": rows, "pairs": kept}, ensure_ascii=False, indent=1) + "\n"
        )
        console.print(f"All preferences are in {out}.", highlight=False, markup=False)
    return tallies


def preferences(
    baseline: str, candidate: str, given: Mapping[str, Any], console: Console
) -> Sequence[Record]:
    """The answers of `/compare` about each pair of two systems' logs. Raises CommandError where nothing can be compared, or
    not everything was."""
    outcome = _asked(list(_pairs(baseline, candidate, given["pair_by"])), given, console)
    if outcome.halt is not None:
        raise CommandError(f"Not all pairs were compared: {outcome.halt.value}.", Exit.INCONCLUSIVE)
    if refused := [record for record in outcome.records if record.answer is None]:
        first = refused[0]
        told = f"Not compared: {counted(len(refused), 'pair', of=len(outcome.records))}"
        raise CommandError(f"{told}: {first.conversation}: {(first.failure or {})['detail']}", Exit.FAILED)
    return outcome.records


def _row(one: Tally) -> Json:
    counts = {name: getattr(one, name) for name in ("factor", "wins", "losses", "ties", "missing")}
    return {**counts, "p": one.p, "margin": one.margin}


def _pairs(baseline: str, candidate: str, pair_by: PairBy) -> Iterator[tuple[Source, Source]]:
    before, now = (read_logs([path])[0] for path in (baseline, candidate))
    if pair_by is PairBy.LINE:
        if len(before) != len(now):
            raise CommandError(f"{baseline} and {candidate} do not hold the same number of logs.")
        yield from zip(before, now, strict=True)
        return
    known, new = ({source.conversation: source for source in side} for side in (before, now))
    for name in shared_names((baseline, list(known)), (candidate, list(new))):
        yield known[name], new[name]


def _asked(pairs: Sequence[tuple[Source, Source]], given: Mapping[str, Any], console: Console) -> Outcome:
    judge = given["judge"]
    with connected(given["url"], given["api_key"], judge=judge, catalog=given["catalog"]) as connection:
        fields: Json = {
            "factors": given["factors"],
            "rubrics": given.get("rubrics"),
            "judge": judge,
            "cache": given["cache"],
            "catalog": connection.catalog,
        }
        fixed = {name: value for name, value in fields.items() if value is not None}
        jobs = [
            Job(now.conversation, None, "/compare", {"first": before.log, "second": now.log, **fixed})
            for before, now in pairs
        ]

        async def ask() -> Outcome:
            async with Remote(connection.url, connection.key) as remote:
                spend = given.get("max_cost")
                runner = Runner(remote, None, given["at_once"], console, "compare", spend)
                return await runner.run(jobs)

        return asyncio.run(ask())


def _show(tallies: Sequence[Tally], pairs: int, console: Console) -> None:
    table = Table(
        title=counted(pairs, "pair of conversations", "pairs of conversations"), title_justify="left"
    )
    for name in ("factor", "wins", "losses", "ties", "no preference", "wins - losses", "p"):
        table.add_column(name, justify="left" if name == "factor" else "right")
    for one in tallies:
        numbers = (one.wins, one.losses, one.ties, one.missing)
        table.add_row(escape(one.factor), *map(str, numbers), f"{one.margin:+d}", f"{one.p:.3g}")
    console.print(table)
    console.print(
        "A win is a preference for the second system. p is the two-sided sign test of wins against losses, without ties, for each "
        "factor separately.",
        highlight=False,
    )
