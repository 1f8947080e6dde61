"""The difference of two runs over the same conversations, factor by factor.

A factor's loss is the mean over its pairs. If nothing changed, a coin toss decides which run of a pair is the
baseline. The p-value is the share of tosses with as large a loss. The tosses are the same for every factor.
Each factor is compared with the largest statistic of all factors that are still in question (step-down maxT:
Westfall and Young 1993, algorithm 2.8). So the chance of any false alarm stays under alpha, however many
factors are watched and however they go together. Intervals resample whole conversations, the same ones for
every factor."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ...domain.plurals import counted
from ...statistics.bootstrap import Matrix, intervals, ratio_draws
from ..exits import CommandError, Exit
from ..inputs import Json
from ..records import judge_text
from ..scores import ANSWERED, BELONGING, MEAN, OVERALL, Run

Scores = Mapping[str, Mapping[str, float]]
"""By factor, then by conversation."""

POWER = 0.8
# Tosses held at once are limited to about this many numbers (32 MB).
_BLOCK = 4_000_000
ROUNDING = 1e-9
"""Sums in another order differ by less: tosses that give the same loss must count as the same, and 3.3 is 3.3."""
MOST_REASONS = 4
Named = tuple[str, Sequence[str]]
"""A run's name, and those of its conversations."""


@dataclass(frozen=True)
class RunDifference:
    """One factor in both runs. `loss` is baseline minus candidate in points of the scale, over the `n`
    conversations that have a score in both; `low` and `high` are its 95 % interval; `p` is one-sided
    for a loss, `adjusted` over all factors; `error` is the standard error of the loss, and `critical`
    how many of those make a loss certain. `about` says what the loss rests on, where it is not the judge's scores alone."""

    factor: str
    n: int
    baseline: float
    candidate: float
    loss: float
    low: float
    high: float
    p: float
    adjusted: float
    error: float
    critical: float
    about: str = ""

    def visible(self, margin: float) -> float:
        """The smallest true drop that would be called a loss in four of five runs like this one."""
        return max(margin, self.critical * self.error) + NormalDist().inv_cdf(POWER) * self.error


@dataclass(frozen=True)
class PairedLosses:
    """Losses of each conversation (row) in each factor (column), 0 where `present` is 0: no pair."""

    factors: Sequence[str]
    losses: Matrix
    present: Matrix

    @classmethod
    def of(
        cls, baseline: Scores, candidate: Scores, factors: Sequence[str], conversations: Sequence[str]
    ) -> "PairedLosses":
        """The factors that have two pairs or more, in their order."""
        shape = (len(conversations), len(factors))
        losses, present = np.zeros(shape), np.zeros(shape)
        for column, factor in enumerate(factors):
            before, after = baseline[factor], candidate[factor]
            for row, name in enumerate(conversations):
                if name in before and name in after:
                    losses[row, column] = before[name] - after[name]
                    present[row, column] = 1
        tested = np.flatnonzero(present.sum(axis=0) > 1)
        return cls([factors[int(i)] for i in tested], losses[:, tested], present[:, tested])

    @property
    def n(self) -> Matrix:
        """Return how many pairs each factor has."""
        counts: Matrix = self.present.sum(axis=0)
        return counts

    @property
    def means(self) -> Matrix:
        return np.asarray(self.losses.sum(axis=0) / self.n)

    @property
    def errors(self) -> Matrix:
        """The standard error of each factor's loss."""
        centred = (self.losses - self.means) * self.present
        return np.asarray(np.sqrt((centred**2).sum(axis=0) / (self.n - 1) / self.n))


def significance(pairs: PairedLosses, *, draws: int, alpha: float) -> tuple[list[float], list[float], float]:
    """Toss a coin for each conversation's baseline, `draws` times.

    Returns one-sided p-values of each column, by itself and over all. Behind them comes the studentised loss that only a share alpha
    of the tosses exceeds in any column."""
    sums = pairs.losses.sum(axis=0)
    # A toss leaves the squares as they are: dividing by their root makes factors comparable, and is the
    # same as to divide by each toss's own standard error.
    scale = np.sqrt((pairs.losses**2).sum(axis=0))
    scale[scale == 0] = np.inf  # equal runs: no statistic, and no p-value under 1
    observed = sums / scale
    tossed = np.vstack([(signs @ pairs.losses) / scale for signs in _tosses(len(pairs.losses), draws)])
    tossed += ROUNDING
    p = (1 + (tossed >= observed).sum(axis=0)) / (1 + draws)
    adjusted, order = np.ones(len(sums)), np.argsort(-observed, kind="stable")
    highest, rivals = 0.0, np.full(draws, -np.inf)
    shares = {}
    for column in order[::-1]:  # a column's rivals are itself and all with a smaller loss
        rivals = np.maximum(rivals, tossed[:, column])
        shares[column] = (1 + int((rivals >= observed[column]).sum())) / (1 + draws)
    for column in order:
        highest = max(highest, shares[column])
        adjusted[column] = highest
    return p.tolist(), adjusted.tolist(), float(np.quantile(rivals, 1 - alpha))


def _tosses(conversations: int, draws: int) -> Iterator[Matrix]:
    """(rows, conversations) matrices of 1 and -1, `draws` rows in all."""
    generator = np.random.default_rng(0)
    rows = max(1, _BLOCK // max(conversations, 1))
    for start in range(0, draws, rows):
        shape = (min(rows, draws - start), conversations)
        yield np.asarray(generator.integers(0, 2, size=shape, dtype=np.int8) * 2.0 - 1)


def differences(
    baseline: Scores,
    candidate: Scores,
    factors: Sequence[str],
    conversations: Sequence[str],
    *,
    draws: int,
    alpha: float,
) -> list[RunDifference]:
    """One difference for each factor with two pairs or more, in their order."""
    pairs = PairedLosses.of(baseline, candidate, factors, conversations)
    if not pairs.factors:
        return []
    alone, over_all, critical = significance(pairs, draws=draws, alpha=alpha)
    bounds = intervals(ratio_draws(pairs.losses, pairs.present, draws=draws))
    columns = zip(pairs.factors, pairs.means, pairs.errors, alone, over_all, bounds, strict=True)
    return [
        RunDifference(
            factor,
            *_means(baseline[factor], candidate[factor], conversations),
            loss=float(loss),
            low=bound.low if bound else float("-inf"),
            high=bound.high if bound else float("inf"),
            p=p,
            adjusted=adjusted,
            error=float(error),
            critical=critical,
        )
        for factor, loss, error, p, adjusted, bound in columns
    ]


def _means(
    before: Mapping[str, float], after: Mapping[str, float], conversations: Sequence[str]
) -> tuple[int, float, float]:
    """Return how many pairs there are, and the mean of either side."""
    names = [name for name in conversations if name in before and name in after]
    means = [sum(scores[name] for name in names) / len(names) for scores in (before, after)]
    return len(names), means[0], means[1]


def signed(change: float, digits: int) -> str:
    """Format a change with its sign, or as 0 without one if the digits cannot show it."""
    text = f"{change:+z.{digits}f}"
    return text if float(text) else text[1:]


def shared_names(baseline: Named, candidate: Named) -> list[str]:
    """Return the names that both have, in the candidate's order. Raises CommandError if there are none."""
    known = set(baseline[1])
    shared = [name for name in candidate[1] if name in known]
    if not shared:
        message = (
            f"{baseline[0]} and {candidate[0]} have no conversation in common: they are paired by the logs' ids. "
            "Run both systems on the same situations, and give a situation the same id in both."
        )
        raise CommandError(message, Exit.INCONCLUSIVE)
    return shared


def comparable(baseline: Run, candidate: Run, shared: Sequence[str], least: float) -> list[str]:
    """The conversations that were judged alike in both runs. Raises CommandError, with how to score
    again, where they are less than `least` of those with an answer in both."""
    answered = [name for name in shared if name in baseline.keys and name in candidate.keys]
    alike = [name for name in answered if baseline.keys[name] == candidate.keys[name]]
    if answered and len(alike) < max(least, 0.01) * len(answered):
        raise CommandError(_refusal(baseline, candidate, answered), Exit.INCONCLUSIVE)
    return alike


def _refusal(baseline: Run, candidate: Run, shared: Sequence[str]) -> str:
    pairs = Counter((baseline.keys[name], candidate.keys[name]) for name in shared)
    unlike = {keys: count for keys, count in pairs.most_common() if keys[0] != keys[1]}
    keys, count = next(iter(unlike)), counted(sum(unlike.values()), "conversation", of=len(shared))
    lines = [
        f"Not comparable in {count}: {baseline.name} was judged under {keys[0]}, {candidate.name} under {keys[1]}.",
        *_reasons(baseline, candidate, shared),
        "Score the logs of one of them again as the other was scored, with the same version, judge, factors and options:",
        "  crs-eval score BASELINE_LOGS --fresh --out BASELINE.jsonl",
        "or pass the logs of both runs, so that the gate scores both in the same way.",
    ]
    return "\n".join(lines)


def _reasons(baseline: Run, candidate: Run, shared: Sequence[str]) -> list[str]:
    """Return the differences that verdicts show."""
    reasons = []
    for factor in dict.fromkeys([*baseline.factors, *candidate.factors]):
        pairs = ((baseline.verdict(name, factor), candidate.verdict(name, factor)) for name in shared)
        if (reason := next(filter(None, (_unlike(*pair) for pair in pairs)), None)) is not None:
            reasons.append(f"  {factor}{reason}")
    if not reasons:
        return ["  The judges are the same: the factors or options differ (samples, catalogue, lists)."]
    more = len(reasons) - MOST_REASONS
    return [*reasons[:MOST_REASONS], *([f"  ... and {more} more."] if more > 0 else [])]


def _unlike(one: Json | None, other: Json | None) -> str | None:
    """Return how two verdicts of a factor were judged differently; None where they were judged alike."""
    if one is None or other is None:
        return " was judged in one of them only."
    if one["judge"] != other["judge"]:
        return f": judged by {judge_text(one['judge'])}, and by {judge_text(other['judge'])}."
    revisions = [verdict["evaluator_revision"] for verdict in (one, other)]
    return None if revisions[0] == revisions[1] else f": evaluator revisions {' and '.join(revisions)}."


def paired_scores(baseline: Run, candidate: Run, conversations: Sequence[str]) -> tuple[Scores, Scores]:
    """Return both runs' scores by factor. `mean` rests, for each conversation, on the factors that have a
    score in both: a factor that one run lacks must not shift it. `overall`, `belonging` and `answered` are no part of it."""
    slugs = [slug for slug in candidate.factors if slug in baseline.factors]
    both: list[dict[str, dict[str, float]]] = []
    for run in (baseline, candidate):
        scores = {slug: run.factors[slug].scores for slug in slugs}
        scores |= {OVERALL: run.overall, BELONGING: run.belonging, ANSWERED: run.answered}
        among = {slug: [name for name in conversations if name in known] for slug, known in scores.items()}
        both.append({slug: {name: scores[slug][name] for name in names} for slug, names in among.items()})
    means: list[dict[str, float]] = [{}, {}]
    for name in conversations:
        common = [slug for slug in slugs if name in both[0][slug] and name in both[1][slug]]
        for side, run in enumerate((baseline, candidate)):
            if common:
                shares = [run.factors[slug].on_four(both[side][slug][name]) for slug in common]
                means[side][name] = sum(shares) / len(shares)
    both[0][MEAN], both[1][MEAN] = means
    return both[0], both[1]
