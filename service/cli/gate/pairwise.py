"""Two systems by preferences: each situation's two conversations are compared, and wins are counted against losses."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from ...domain.plurals import counted
from ...statistics.permutation import sign_p
from ..conversations import ask_jobs
from ..exits import CommandError, Exit
from ..file_formats import json_text
from ..inputs import Source, read_logs
from ..judge_commands import split
from ..judges import rubrics_in
from ..options import GateOptions, PairBy
from ..records import Record, write_atomically
from ..run import Job, RunOutcome
from ..tables import figures_table
from .comparable import shared_names

_COLUMNS = ("factor", "wins", "losses", "ties", "no preference", "wins - losses", "p")


@dataclass(frozen=True)
class WinLossCounts:
    """Preferences on one factor over all situations. A win is a preference for the candidate; `missing` have no preference. `p` is
    the two-sided sign test of wins against losses, without ties; `worse` the one-sided one, of as many losses or more. `lost`
    names the conversations in which the other system was preferred."""

    factor: str
    wins: int
    losses: int
    ties: int
    missing: int
    lost: Sequence[str] = field(default=())

    @property
    def n(self) -> int:
        """Pairs with a preference, ties among them."""
        return self.wins + self.losses + self.ties

    @property
    def margin(self) -> int:
        """Wins minus losses."""
        return self.wins - self.losses

    @property
    def p(self) -> float:
        """The probability of a split as uneven as this, or more, if wins and losses were equally likely."""
        return min(1.0, 2 * sign_p(max(self.wins, self.losses), min(self.wins, self.losses)))

    @property
    def worse(self) -> float:
        """The probability of as many losses, or more, if wins and losses were equally likely."""
        return sign_p(self.losses, self.wins)


def counts_of(records: Sequence[Record]) -> Iterator[WinLossCounts]:
    """The counts of each factor in the order asked, and the overall ones at the end. `first` is the baseline's conversation."""
    counts: dict[str, Counter[str | None]] = {}
    lost: dict[str, list[str]] = {}
    for record in records:
        answer = record.answer or {}
        for one in (*answer["preferences"], answer["overall"]):
            counts.setdefault(one["factor"], Counter())[one["preferred"]] += 1
            if one["preferred"] == "first":
                lost.setdefault(one["factor"], []).append(record.conversation)
    for factor, count in counts.items():
        told = lost.get(factor, [])
        yield WinLossCounts(factor, count["second"], count["first"], count["tie"], count[None], told)


def compare_pairwise(
    baseline: str, candidate: str, options: GateOptions, out: Path | None, console: Console
) -> list[WinLossCounts]:
    """Compare two systems' logs, show the counts, and write them to `out`. Raises CommandError where nothing can be compared,
    or not everything was."""
    if out is not None and out.suffix != ".json":
        raise CommandError(f"--out {out}: with --pairwise this is a .json file.")
    records = preferences(baseline, candidate, options, split(options.factors), console)
    found = list(counts_of(records))
    _show(found, len(records), console)
    if out is not None:
        names = ("factor", "wins", "losses", "ties", "missing", "p", "margin")
        rows = [{name: getattr(one, name) for name in names} for one in found]
        kept = [{"conversation": one.conversation, "answer": one.answer} for one in records]
        write_atomically(out, json_text({"tallies": rows, "pairs": kept}))
        console.print(f"All preferences are in {out}.", highlight=False, markup=False)
    return found


def preferences(
    baseline: str, candidate: str, options: GateOptions, factors: Sequence[str] | None, console: Console
) -> Sequence[Record]:
    """The answers of `/compare` about each pair of two systems' logs. Raises CommandError where nothing can be compared, or
    not everything was."""
    outcome = _asked(list(_pairs(baseline, candidate, options.pair_by)), options, factors, console)
    if outcome.halt is not None:
        raise CommandError(f"Not all pairs were compared: {outcome.halt.value}.", Exit.INCONCLUSIVE)
    if refused := [record for record in outcome.records if record.answer is None]:
        first = refused[0]
        told = f"Not compared: {counted(len(refused), 'pair', of=len(outcome.records))}"
        raise CommandError(f"{told}: {first.conversation}: {(first.failure or {})['detail']}", Exit.FAILED)
    return outcome.records


def _pairs(baseline: str, candidate: str, pair_by: PairBy) -> Iterator[tuple[Source, Source]]:
    before, now = (read_logs([path])[0] for path in (baseline, candidate))
    if pair_by == "line":
        if len(before) != len(now):
            raise CommandError(f"{baseline} and {candidate} do not hold the same number of logs.")
        yield from zip(before, now, strict=True)
        return
    known, new = ({source.conversation: source for source in side} for side in (before, now))
    for name in shared_names((baseline, list(known)), (candidate, list(new))):
        yield known[name], new[name]


def _asked(
    pairs: Sequence[tuple[Source, Source]],
    options: GateOptions,
    factors: Sequence[str] | None,
    console: Console,
) -> RunOutcome:
    def jobs(catalog: str | None) -> list[Job]:
        fields = {
            "factors": factors,
            "rubrics": rubrics_in(options.rubric),
            "judge": options.judge,
            "cache": options.cache,
            "catalog": catalog,
        }
        fixed = {name: value for name, value in fields.items() if value is not None}
        return [
            Job(now.conversation, None, "/compare", {"first": before.log, "second": now.log, **fixed})
            for before, now in pairs
        ]

    return ask_jobs(jobs, options, console, "compare", judge=options.judge, catalog=options.catalog)


def _show(found: Sequence[WinLossCounts], pairs: int, console: Console) -> None:
    rows = [
        (
            one.factor,
            *map(str, (one.wins, one.losses, one.ties, one.missing)),
            f"{one.margin:+d}",
            f"{one.p:.3g}",
        )
        for one in found
    ]
    console.print(
        figures_table(counted(pairs, "pair of conversations", "pairs of conversations"), _COLUMNS, rows)
    )
    console.print(
        "A win is a preference for the second system. p is the two-sided sign test of wins against losses, without ties, for each "
        "factor separately.",
        highlight=False,
    )
