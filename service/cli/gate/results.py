"""Findings of the gate: a verdict for every rule, the conversations behind it, and the reasons that leave one open."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ...domain.plurals import counted, listed
from ...statistics.permutation import sign_p
from ..configuration import GateSettings
from ..exits import CommandError, Exit
from ..records import CACHE_MISS
from ..scores import ANSWERED, BELONGING, COHERENCE, MEAN, OVERALL, OVERALL_SPAN, Run, lowered_factors
from .paired import RunDifference

if TYPE_CHECKING:
    from .rules import FaultChange

CONVERSATIONS = "conversations"
"""The subject of the result about missing conversations, in place of a factor."""


CERTAIN_FAULTS = "certain-faults"
"""The subject of the result about new certain faults."""
MOST_CASES = 10
_NEGLIGIBLE = 0.005
"""Share of a scale: a smaller fall does not explain a loss."""
_SHOWN = 0.01
"""Points: a conversation that lost less has the same two decimals before and now."""
_TOPS = {OVERALL: OVERALL_SPAN, MEAN: OVERALL_SPAN, BELONGING: 1.0, ANSWERED: 1.0}
NO_OCCASION = "no_occasion"
"""Code for a factor without a score because nothing tested it: a better recommender gives fewer occasions."""
CERTAIN = 0.001
"""Chance of taking a factor with randomly missing scores for one that is gone."""


class RuleState(StrEnum):
    """The outcome of a rule, or of all of them."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"
    NOT_LIMITED = "not_limited"
    """Faults that are listed although no rule limits them."""
    SKIPPED = "skipped"
    """A factor that nobody named and that cannot be decided here."""


# The gravest first: a certain failure stays one, whatever else is undecided.
EXITS = {
    RuleState.FAIL: Exit.FAIL,
    RuleState.ERROR: Exit.FAILED,
    RuleState.INCONCLUSIVE: Exit.INCONCLUSIVE,
    RuleState.PASS: Exit.PASS,
}


@dataclass(frozen=True)
class GateCase:
    """A conversation behind a result on `factor`, or on a fault, named in its place. `loss` is in points: since the baseline, else
    from the top; of a fault, its expected cost. `json` is the case for programs."""

    conversation: str
    factor: str
    loss: float
    text: str
    json: dict[str, object]
    fault: bool = False


@dataclass(frozen=True)
class RuleResult:
    """One rule's verdict, in words, with the conversations that weigh most where it failed."""

    name: str
    factor: str
    state: RuleState
    detail: str
    difference: RunDifference | None = None
    visible: float | None = None
    worst: Sequence[GateCase] = ()
    fault: str | None = None
    """The fault that a rule is about, in place of a factor."""
    change: "FaultChange | None" = None

    @property
    def about_faults(self) -> bool:
        return self.fault is not None or self.factor == CERTAIN_FAULTS


@dataclass(frozen=True)
class GateJudgement:
    """All results, and warnings. `candidate` and `baseline` are None where they could not be read."""

    results: Sequence[RuleResult]
    candidate: Run | None
    baseline: Run | None
    notes: Sequence[str] = ()
    error: CommandError | None = None
    """The reason why the gate had to stop before its last rule."""

    @property
    def state(self) -> RuleState:
        """Return the gravest state of a result; inconclusive where no rule could say anything."""
        states = {result.state for result in self.results}
        return next((state for state in EXITS if state in states), RuleState.INCONCLUSIVE)

    @property
    def exit(self) -> Exit:
        """Exit code of the command: wrong usage comes first, then a failure."""
        if self.error is not None and (self.error.code is Exit.USAGE or self.state is not RuleState.FAIL):
            return self.error.code
        return EXITS[self.state]


def stopped(
    error: CommandError, before: Sequence[RuleResult] = (), candidate: Run | None = None
) -> GateJudgement:
    """Return the judgement of a gate that had to stop, with its results so far."""
    state = RuleState.INCONCLUSIVE if error.code is Exit.INCONCLUSIVE else RuleState.ERROR
    result = RuleResult("the gate had to stop", "gate", state, str(error))
    return GateJudgement([*before, result], candidate, None, error=error)


def worst_cases(
    run: Run, baseline: Run | None, factor: str, scores: Mapping[str, float], before: Mapping[str, float]
) -> list[GateCase]:
    """Return at most ten conversations of `run`, worst first. `before` holds the baseline's scores."""
    top = run.factors[factor].high if factor in run.factors else _TOPS[factor]
    cases = []
    for name, score in scores.items():
        earlier = before.get(name)
        loss = (top if earlier is None else earlier) - score
        if loss < _SHOWN or (baseline is not None and earlier is None):
            continue
        reason = _reason(run, baseline, name, factor)
        start = f"{earlier:.2f} before, " if earlier is not None else ""
        parts: dict[str, object] = {"score": score, "before": earlier, "rationale": reason}
        cases.append(GateCase(name, factor, loss, f"{start}{score:.2f} now. {reason}", parts))
    return sorted(cases, key=lambda case: (-case.loss, case.conversation))[:MOST_CASES]


def _reason(run: Run, baseline: Run | None, conversation: str, factor: str) -> str:
    """Return the judge's rationale; for `overall` and `mean` that of the factor that weighs most, with its scores. `belonging`
    gives the reply whose coherence fell most: a rationale without faults would seem to deny the loss. `answered` has a fixed sentence."""
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
        finding = f"{slug} is lowest with {now:g}."
    elif known[slug] < _NEGLIGIBLE:
        return "No single factor fell much."
    else:
        finding = f"{slug} fell most, from {baseline.factors[slug].scores[conversation]:g} to {now:g}."
    return f"{finding} {_rationale(run, conversation, slug)}".rstrip()


def _reply_that_fell_most(run: Run, baseline: Run | None, conversation: str) -> str:
    """Name the reply whose coherence fell most, or is lowest without a baseline, with a quote if known; empty if none fell."""
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
    finding = f"Message {message} fell most, from {falls[message][0]:.2f} to {falls[message][1]:.2f}"
    if message not in before:
        finding = f"Message {message} is lowest with {falls[message][1]:.2f}"
    quotes = (one["quote"] for one in verdict.get("evidence") or () if one["message"] == message)
    quote = next(filter(None, quotes), None)
    return f"{finding}: “{quote}”" if quote else f"{finding}."


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


def gap(
    runs: Sequence[Run], factor: str, n: int, gate: GateSettings, *, of: int, least: int | None = None
) -> tuple[RuleState, str] | None:
    """Return the reason why a factor with `n` scores `of` so many conversations cannot be decided; None if it can."""
    for run in runs:
        failures = _failures(run, factor)
        if sum(failures.values()) > gate.maximum_failed * max(len(run.records), 1):
            codes = ", ".join(f"{code} {count}" for code, count in failures.items())
            detail = f"{counted(sum(failures.values()), 'verdict', of=len(run.records))} failed in {run.name} ({codes})"
            if set(failures) == {CACHE_MISS}:
                return RuleState.INCONCLUSIVE, f"{detail}: not in the cache"
            return RuleState.ERROR, detail
    least = least or gate.minimum_n
    if n < least:
        return RuleState.INCONCLUSIVE, f"n = {n}, but {least} are needed{_why(runs, factor)}"
    if n < gate.minimum_coverage * of:
        share = f"scored: {counted(n, 'conversation', of=of)}, but {gate.minimum_coverage:.0%} are needed"
        return RuleState.INCONCLUSIVE, f"{share}{_why(runs, factor)}"
    return None


def _failures(run: Run, factor: str) -> dict[str, int]:
    factors: Iterable[str] = run.factors if factor in (OVERALL, MEAN) else [factor]
    unanswered = sum(record.answer is None for record in run.records)
    found = {"no answer": unanswered} if unanswered else {}
    for slug in factors:
        if slug in run.factors:
            for code, count in run.factors[slug].failures.items():
                found[code] = max(found.get(code, 0), count)
    return found


def _why(runs: Sequence[Run], factor: str) -> str:
    wanted = lowered_factors(factor) or (factor,)
    if wanted[0] not in _TOPS and (lacking := [run.name for run in runs if factor not in run.factors]):
        return f": {listed(lacking)} was not judged on {' or '.join(wanted)} (--factors)"
    reasons = {
        code: count
        for run in runs
        if factor in run.factors
        for code, count in run.factors[factor].reasons.most_common(2)
    }
    return f" (not assessable: {', '.join(reasons)})" if reasons else ""


@dataclass(frozen=True)
class Presence:
    """Counts of `conversations` that both runs answered: those that had a score of a factor, that lost it, and that gained it."""

    conversations: int
    had: int
    lost: int
    gained: int

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
    def text(self) -> str:
        has = self.had - self.lost + self.gained
        return f"{self.had} of {self.conversations} conversations had a score, {has} have one now"
