"""Check that two runs were judged alike, and find what they have in common."""

from collections import Counter
from collections.abc import Sequence

from ..exits import CommandError, Exit
from ..inputs import Json
from ..records import judge_text
from ..scores import ANSWERED, BELONGING, MEAN, OVERALL, Run
from .paired import Scores

MOST_TOLD = 4


Named = tuple[str, Sequence[str]]
"""A run's name, and those of its conversations."""


def shared_conversations(baseline: Run, candidate: Run) -> list[str]:
    """The conversations that are in both runs, in the candidate's order. Raises CommandError where
    there is none."""
    return shared_names((baseline.name, baseline.conversations), (candidate.name, candidate.conversations))


def shared_names(baseline: Named, candidate: Named) -> list[str]:
    """The names that both have, in the candidate's order. Raises CommandError where there is none."""
    known = set(baseline[1])
    shared = [name for name in candidate[1] if name in known]
    if not shared:
        told = (
            f"{baseline[0]} and {candidate[0]} have no conversation in common: they are paired by the logs' ids. "
            "Run both systems on the same situations, and give a situation the same id in both."
        )
        raise CommandError(told, Exit.INCONCLUSIVE)
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
    keys = [Counter(run.keys[name] for name in shared).most_common(1)[0][0] for run in (baseline, candidate)]
    told = [
        f"Not comparable: {baseline.name} was judged under {keys[0]}, {candidate.name} under {keys[1]}.",
        *_reasons(baseline, candidate, shared),
        "Score the logs of one of them again as the other was scored, with the same version, judge, factors and options:",
        "  crs-eval score BASELINE_LOGS --fresh --out BASELINE.jsonl",
        "or give the gate both runs' logs, so that it scores both alike.",
    ]
    return "\n".join(told)


def _reasons(baseline: Run, candidate: Run, shared: Sequence[str]) -> list[str]:
    """Return what differs, where verdicts show it."""
    told = []
    for factor in dict.fromkeys([*baseline.factors, *candidate.factors]):
        pairs = ((baseline.verdict(name, factor), candidate.verdict(name, factor)) for name in shared)
        if (reason := next(filter(None, (_unlike(*pair) for pair in pairs)), None)) is not None:
            told.append(f"  {factor}{reason}")
    if not told:
        return ["  The judges are the same: the factors or options differ (samples, catalogue, lists)."]
    more = len(told) - MOST_TOLD
    return [*told[:MOST_TOLD], *([f"  ... and {more} more."] if more > 0 else [])]


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
    both: list[dict[str, dict[str, float]]] = [{slug: {} for slug in slugs} for _ in range(2)]
    for slug in slugs:
        first, second = baseline.factors[slug].scores, candidate.factors[slug].scores
        for name in conversations:
            if name in first:
                both[0][slug][name] = first[name]
            if name in second:
                both[1][slug][name] = second[name]
    means: list[dict[str, float]] = [{}, {}]
    for name in conversations:
        common = [slug for slug in slugs if name in both[0][slug] and name in both[1][slug]]
        for side, run in enumerate((baseline, candidate)):
            if common:
                scores = [run.factors[slug].on_four(both[side][slug][name]) for slug in common]
                means[side][name] = sum(scores) / len(scores)
    both[0][MEAN], both[1][MEAN] = means
    for side, run in enumerate((baseline, candidate)):
        for counted, shares in ((OVERALL, run.overall), (BELONGING, run.belonging), (ANSWERED, run.answered)):
            both[side][counted] = {name: shares[name] for name in conversations if name in shares}
    return both[0], both[1]
