"""The conversations that speak for a result: those that lost most, or are lowest."""

from collections.abc import Mapping

from ..scores import ANSWERED, BELONGING, COHERENCE, MEAN, OVERALL, OVERALL_SPAN, Run
from .results import GateCase

MOST_CASES = 10
_NEGLIGIBLE = 0.005
"""Share of a scale: a smaller fall does not explain a loss."""
_TOPS = {OVERALL: OVERALL_SPAN, MEAN: OVERALL_SPAN, BELONGING: 1.0, ANSWERED: 1.0}


def worst_cases(
    run: Run, baseline: Run | None, factor: str, scores: Mapping[str, float], before: Mapping[str, float]
) -> list[GateCase]:
    """At most ten conversations of `run`, the worst first. `before` holds the scores of the baseline."""
    top = run.factors[factor].high if factor in run.factors else _TOPS[factor]
    cases = []
    for name, score in scores.items():
        earlier = before.get(name)
        loss = (top if earlier is None else earlier) - score
        if loss <= 0 or (baseline is not None and earlier is None):
            continue
        reason = _reason(run, baseline, name, factor)
        told = f"{earlier:.2f} before, " if earlier is not None else ""
        parts: dict[str, object] = {"score": score, "before": earlier, "rationale": reason}
        cases.append(GateCase(name, factor, loss, f"{told}{score:.2f} now. {reason}", parts))
    return sorted(cases, key=lambda case: (-case.loss, case.conversation))[:MOST_CASES]


def _reason(run: Run, baseline: Run | None, conversation: str, factor: str) -> str:
    """The judge's rationale; for `overall` and `mean` that of the factor that weighs most, with its scores. For `belonging` the reply
    whose coherence fell most: a rationale without faults would seem to deny the loss. None for `answered`, whose score says it."""
    if factor == ANSWERED:
        return "The rest of the user's requests got no reply."
    if factor == BELONGING:
        return _reply_that_fell_most(run, baseline, conversation) or "No single reply stands out."
    if factor not in (OVERALL, MEAN):
        return _rationale(run, conversation, factor)
    losses = {slug: _loss(run, baseline, conversation, slug) for slug in run.factors}
    known = {slug: loss for slug, loss in losses.items() if loss is not None}
    if not known:
        return ""
    slug = max(known, key=known.__getitem__)
    now = run.factors[slug].scores[conversation]
    if baseline is None:
        told = f"{slug} is lowest with {now:g}."
    elif known[slug] < _NEGLIGIBLE:
        return "No single factor fell much."
    else:
        told = f"{slug} fell most, from {baseline.factors[slug].scores[conversation]:g} to {now:g}."
    return f"{told} {_rationale(run, conversation, slug)}".rstrip()


def _reply_that_fell_most(run: Run, baseline: Run | None, conversation: str) -> str:
    """Name the reply whose coherence fell most, or is lowest without a baseline, and quote it where the judge did; empty where
    none fell."""
    verdict = run.verdict(conversation, COHERENCE) or {}
    earlier = (baseline.verdict(conversation, COHERENCE) if baseline else None) or {}
    before = {turn["message"]: turn["score"] for turn in earlier.get("turns") or ()}
    top = run.factors[COHERENCE].high
    falls = {
        turn["message"]: (before.get(turn["message"], top), turn["score"])
        for turn in verdict.get("turns") or ()
    }
    message = max(falls, key=lambda message: falls[message][0] - falls[message][1], default=None)
    if message is None or falls[message][0] <= falls[message][1]:
        return ""
    told = f"Message {message} fell most, from {falls[message][0]:.2f} to {falls[message][1]:.2f}"
    if message not in before:
        told = f"Message {message} is lowest with {falls[message][1]:.2f}"
    quotes = (one["quote"] for one in verdict.get("evidence") or () if one["message"] == message)
    quote = next(filter(None, quotes), None)
    return f"{told}: “{quote}”" if quote else f"{told}."


def _loss(run: Run, baseline: Run | None, conversation: str, slug: str) -> float | None:
    """The share of the scale that the factor lost, or lies below its top; None where that is not known."""
    factor = run.factors[slug]
    before: Mapping[str, float] = {conversation: factor.high}
    if baseline is not None:
        before = baseline.factors[slug].scores if slug in baseline.factors else {}
    if conversation not in factor.scores or conversation not in before:
        return None
    return (before[conversation] - factor.scores[conversation]) / (factor.high - factor.low)


def _rationale(run: Run, conversation: str, factor: str) -> str:
    return str((run.verdict(conversation, factor) or {}).get("rationale") or "")
