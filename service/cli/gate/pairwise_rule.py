"""The gate's rule on preferences: the candidate may not be preferred less often than the baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Console

from ...domain.plurals import counted
from ...statistics.permutation import holm
from ..configuration import GateSettings, Pairwise
from ..exits import CommandError
from ..scores import OVERALL
from .pairwise import WinLossCounts, counts_of, preferences
from .results import RuleResult, RuleState
from .runs import Preparation

MOST_TOLD = 3
"""Lost conversations that a result names."""


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
