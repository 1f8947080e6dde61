"""Behavior Alignment from strategies that annotators gave (the paper's section 3.1, formula 1)."""

from collections.abc import Sequence

from .pair import Judged, Pair, Reading, Reply, decisive
from .strategies import NO_STRATEGY


def judge_labelled(pairs: Sequence[Pair]) -> list[Judged]:
    """Compare the labels of each pair. Raises ValueError for a reply without labels."""
    return [compare(_reading(pair.candidate), _reading(pair.reference)) for pair in pairs]


def compare(candidate: Reading | None, reference: Reading | None) -> Judged:
    """Return what two readings say about their pair: aligned when the strategies that count are the same."""
    if candidate is None or reference is None:
        silent = "candidate" if candidate is None else "reference"
        return Judged(candidate, reference, None, None, f"The {silent} has no reply in this turn.")
    told = _told(candidate, reference)
    if not (candidate.uses_one and reference.uses_one):
        return Judged(candidate, reference, None, None, told)
    shared = set(candidate.strategies) & set(reference.strategies) - {NO_STRATEGY}
    return Judged(candidate, reference, candidate.strategy is reference.strategy, bool(shared), told)


def _reading(reply: Reply | None) -> Reading | None:
    if reply is None:
        return None
    if not reply.labels:
        raise ValueError("a reply without labels cannot be compared")
    return Reading(decisive(reply.labels))


def _told(candidate: Reading, reference: Reading) -> str:
    reasons = [
        f"{side}: {reading.reason}"
        for side, reading in (("Candidate", candidate), ("Reference", reference))
        if reading.reason
    ]
    if candidate.strategy is reference.strategy:
        what = f"Both replies use {candidate.strategy.value}."
    else:
        what = f"The candidate uses {candidate.strategy.value}, the reference {reference.strategy.value}."
    return " ".join([what, *reasons])
