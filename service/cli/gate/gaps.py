"""The reason why a factor cannot be decided: failed verdicts, too few scores, scores that are gone."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...domain.plurals import counted
from ...statistics.permutation import sign_p
from ..configuration import GateSettings
from ..records import CACHE_MISS
from ..scores import MEAN, OVERALL, Run
from .paired import Scores
from .results import RuleState

NO_OCCASION = "no_occasion"
"""The reason why a factor has no score where nothing put it to the test: a better recommender gives fewer occasions."""
CERTAIN = 0.001
"""The chance that a factor which comes and goes at random is taken for one that is gone."""


def gap(
    runs: Sequence[Run], factor: str, n: int, gate: GateSettings, *, of: int, least: int | None = None
) -> tuple[RuleState, str] | None:
    """Return the reason why a factor with `n` scores `of` so many conversations cannot be decided; None where it can."""
    for run in runs:
        failures = _failures(run, factor)
        if sum(failures.values()) > gate.maximum_failed * max(len(run.records), 1):
            codes = ", ".join(f"{code} {count}" for code, count in failures.items())
            told = f"{counted(sum(failures.values()), 'verdict', of=len(run.records))} failed in {run.name} ({codes})"
            only_misses = set(failures) == {CACHE_MISS}
            return (
                (RuleState.INCONCLUSIVE, f"{told}: not in the cache")
                if only_misses
                else (RuleState.ERROR, told)
            )
    least = least or gate.minimum_n
    if n < least:
        return RuleState.INCONCLUSIVE, f"n = {n}, but {least} are needed{_why(runs, factor)}"
    if n < gate.minimum_coverage * of:
        share = f"scored: {counted(n, 'conversation', of=of)}"
        return (
            RuleState.INCONCLUSIVE,
            f"{share}, but {gate.minimum_coverage:.0%} are needed{_why(runs, factor)}",
        )
    return None


def _failures(run: Run, factor: str) -> dict[str, int]:
    factors: Iterable[str] = run.factors if factor in (OVERALL, MEAN) else [factor]
    found = {"no answer": len(run.unanswered)} if run.unanswered else {}
    for slug in factors:
        if slug in run.factors:
            for code, count in run.factors[slug].failures.items():
                found[code] = max(found.get(code, 0), count)
    return found


def _why(runs: Sequence[Run], factor: str) -> str:
    reasons = {
        code: count
        for run in runs
        if factor in run.factors
        for code, count in run.factors[factor].reasons.most_common(2)
    }
    return f" (not assessable: {', '.join(reasons)})" if reasons else ""


@dataclass(frozen=True)
class Presence:
    """In which of the `conversations` that both runs answered a factor had a score, and has one."""

    conversations: int
    had: int
    lost: int
    gained: int

    @classmethod
    def of(
        cls,
        before: Scores,
        after: Scores,
        factor: str,
        conversations: Sequence[str],
        excused: Collection[str] = (),
    ) -> "Presence":
        """Count the conversations with a score of the factor in the one and in the other, except those `excused`."""
        had, has = (
            {name for name in conversations if name in run.get(factor, {})} - set(excused)
            for run in (before, after)
        )
        return cls(len(conversations), len(had), len(had - has), len(has - had))

    @property
    def p(self) -> float:
        """The chance to lose that many and gain so few if losing and gaining were alike (sign test)."""
        return sign_p(self.lost, self.gained)

    def vanished(self, gate: GateSettings) -> bool:
        """Return whether most conversations had a score and most of those have it no more, and not by chance."""
        most_had = 2 * self.had > self.conversations >= gate.minimum_n
        return most_had and 2 * self.lost > self.had and self.p <= CERTAIN

    def thinned(self, gate: GateSettings) -> bool:
        """Return whether more scores were lost than chance explains."""
        return self.p <= gate.alpha

    @property
    def told(self) -> str:
        """The numbers in words."""
        has = self.had - self.lost + self.gained
        return f"{self.had} of {self.conversations} conversations had a score, {has} have one now"
