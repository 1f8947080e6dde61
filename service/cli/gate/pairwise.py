"""Two systems by preferences: each situation's two conversations are compared, and wins are counted against losses. The gate's
rule: the candidate may not be preferred less often than the baseline."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.console import Console

from ...domain.plurals import counted
from ...statistics.permutation import holm, sign_p
from ..configuration import GateSettings, Pairwise
from ..conversations import ask_jobs
from ..exits import CommandError, Exit
from ..file_formats import json_text
from ..inputs import Source, read_logs
from ..judge_commands import split
from ..judges import rubrics_in
from ..options import GateOptions, PairBy
from ..records import Record, write_atomically
from ..run import Job, RunOutcome
from ..scores import OVERALL
from ..tables import figures_table
from .comparable import shared_names
from .results import RuleResult, RuleState
from .runs import Preparation

MOST_TOLD = 3
"""Lost conversations that a result names."""
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


def check_sides(work: Preparation, baseline: str | None) -> None:
    """Raise CommandError where the rule has nothing to compare: before anything is judged."""
    if work.gate.pairwise is None:
        return
    if baseline is None:
        raise CommandError("[gate.pairwise] compares with a baseline: give --baseline.")
    for side in work.sides:
        if side.run is not None:
            raise CommandError(
                f"[gate.pairwise] compares conversations, and {side.path} holds results: give its logs."
            )


def pairwise_results(work: Preparation, console: Console) -> list[RuleResult]:
    """Ask which conversation of each pair is better, and judge the counts; nothing where the rule is not set."""
    rule = work.gate.pairwise
    if rule is None:
        return []
    given, score = work.options, work.configuration.score
    asked = replace(
        given,
        judge=given.judge or rule.judge or score.judge,
        catalog=given.catalog or score.catalog,
        cache=given.cache or score.cache,
    )
    factors = _asked_about(rule, asked.judge, work.asked)
    before, now = (side.file for side in work.sides)
    counts = {one.factor: one for one in counts_of(preferences(before, now, asked, factors, console))}
    return list(judged([counts[factor] for factor in rule.factors], rule, work.gate))


def _asked_about(rule: Pairwise, judge: str | None, scored: Sequence[str]) -> list[str]:
    """The factors of a request. A model is asked about `overall` by itself; the embedded judge compares means over factors, so it
    needs those that are scored."""
    named = [factor for factor in rule.factors if factor != OVERALL]
    if judge is not None and ":" in judge:
        return named or ["coherence"]  # the route takes no empty list
    return list(dict.fromkeys([*(scored or ("core",)), *named]))


def judged(counts: Sequence[WinLossCounts], rule: Pairwise, gate: GateSettings) -> Iterator[RuleResult]:
    """The result of each factor. It fails where losses outnumber wins by more than the margin, and chance does not explain that.
    The sign test, one-sided and by Holm's method over all factors, decides on chance."""
    for one, p in zip(counts, holm([one.worse for one in counts]), strict=True):
        state, remark = _state(one, p, rule, gate)
        told = (
            f"{one.wins} wins, {one.losses} losses, {one.ties} ties: wins - losses {one.margin:+d} of {one.n} "
            f"(margin {rule.margin:.0%}, p = {p:.3g} over all factors)"
        )
        if state is not RuleState.PASS and one.lost:
            told += f"; lost: {', '.join(one.lost[:MOST_TOLD])}{', ...' if len(one.lost) > MOST_TOLD else ''}"
        yield RuleResult(f"{one.factor}: preferred no less often", one.factor, state, f"{told}{remark}")


def _state(one: WinLossCounts, p: float, rule: Pairwise, gate: GateSettings) -> tuple[RuleState, str]:
    pairs = one.n + one.missing
    if one.n < gate.minimum_n:
        return (
            RuleState.INCONCLUSIVE,
            f"; {counted(one.n, 'pair')} with a preference or a tie, where {gate.minimum_n} are needed",
        )
    if one.n < gate.minimum_coverage * pairs:
        return RuleState.INCONCLUSIVE, f"; {one.missing} of {pairs} pairs have no preference"
    if -one.margin <= rule.margin * one.n:
        return RuleState.PASS, ""
    if p <= gate.alpha:
        return RuleState.FAIL, ""
    return RuleState.INCONCLUSIVE, "; more than the margin, but chance may have done it"
