"""The gate: every rule gets a verdict, and all of them one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ..configuration import Gate, Rule
from ..overview import mean_interval
from ..records import CACHE_MISS
from ..scores import OVERALL, Run, overall
from ..stopping import Exit
from .comparable import comparable, paired_overall, shared_conversations
from .paired import Difference, Scores, differences


class State(StrEnum):
    """What came of a rule, or of all of them."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"
    SKIPPED = "skipped"
    """A factor that nobody named and that cannot be assessed here."""


EXITS = {
    State.PASS: Exit.PASS,
    State.FAIL: Exit.FAIL,
    State.INCONCLUSIVE: Exit.INCONCLUSIVE,
    State.ERROR: Exit.FAILED,
}
# A certain failure stays one whatever else could not be found out.
_GRAVEST = (State.FAIL, State.ERROR, State.INCONCLUSIVE, State.PASS)


@dataclass(frozen=True)
class Case:
    """A conversation that speaks for a result: its score, and what it was before where that is known."""

    conversation: str
    factor: str
    score: float
    before: float | None
    rationale: str

    @property
    def loss(self) -> float:
        """What it lost; how far it is from the top where there is no baseline."""
        return (self.before if self.before is not None else 4.0) - self.score


@dataclass(frozen=True)
class Result:
    """One rule's verdict, in words, with the conversations that weigh most where it failed."""

    name: str
    factor: str
    state: State
    detail: str
    difference: Difference | None = None
    visible: float | None = None
    worst: Sequence[Case] = ()


@dataclass(frozen=True)
class Judgement:
    """All results."""

    results: Sequence[Result]
    candidate: Run
    baseline: Run | None
    notes: Sequence[str] = field(default=())

    @property
    def state(self) -> State:
        """The gravest of the results; inconclusive where no rule could say anything."""
        present = {result.state for result in self.results}
        return next((state for state in _GRAVEST if state in present), State.INCONCLUSIVE)


MOST_WORST = 10


def judge(candidate: Run, baseline: Run | None, gate: Gate) -> Judgement:
    """Every rule of the gate. Raises CommandError where the runs do not compare."""
    results = [_absolute(candidate, rule, gate) for rule in gate.rules]
    notes: list[str] = []
    if baseline is not None:
        shared = shared_conversations(baseline, candidate)
        alike = comparable(baseline, candidate, shared, gate.minimum_coverage)
        notes += _notes(baseline, candidate, shared, alike)
        results += _regressions(baseline, candidate, shared, alike, gate)
    return Judgement(results, candidate, baseline, tuple(notes))


def _notes(baseline: Run, candidate: Run, shared: Sequence[str], alike: Sequence[str]) -> Iterator[str]:
    lonely = len(baseline.conversations) + len(candidate.conversations) - 2 * len(shared)
    if lonely:
        yield f"{lonely} conversations are in one run only and were left out."
    if len(alike) < len(shared):
        yield f"{len(shared) - len(alike)} conversations were not judged alike in both runs, or not at all."


def _scores(run: Run, factor: str) -> dict[str, float]:
    if factor == OVERALL:
        return overall(run, list(run.factors))
    return run.factors[factor].scores if factor in run.factors else {}


def _absolute(run: Run, rule: Rule, gate: Gate) -> Result:
    scores = _scores(run, rule.factor)
    if rule.mean is not None:
        name = f"{rule.factor}: mean at least {rule.mean:g}"
        values, bar = list(scores.values()), rule.mean
    else:
        assert rule.at_or_above is not None
        assert rule.share is not None
        name = f"{rule.factor}: {rule.share:.0%} at {rule.at_or_above:g} or above"
        values, bar = [float(score >= rule.at_or_above) for score in scores.values()], rule.share
    least, coverage = rule.minimum_n or gate.minimum_n, rule.minimum_coverage
    coverage = gate.minimum_coverage if coverage is None else coverage
    if (
        gap := _gap(
            [run],
            rule.factor,
            n=len(values),
            conversations=len(run.records),
            least=least,
            coverage=coverage,
            gate=gate,
        )
    ) is not None:
        return Result(name, rule.factor, *gap)
    value = sum(values) / len(values)
    interval = mean_interval(values) or (value, value)
    told = f"{value:.3g} (95 % interval {interval[0]:.3g} to {interval[1]:.3g}, n = {len(values)})"
    if value >= bar:
        return Result(name, rule.factor, State.PASS, told)
    worst = _worst(run, None, rule.factor, scores, None)
    if interval[1] < bar:
        return Result(name, rule.factor, State.FAIL, told, worst=worst)
    told += "; under the bar, but so near to it that chance may have done it"
    return Result(name, rule.factor, State.INCONCLUSIVE, told, worst=worst)


def _regressions(
    baseline: Run, candidate: Run, shared: Sequence[str], alike: Sequence[str], gate: Gate
) -> Iterator[Result]:
    rule = gate.regression
    known = [slug for slug in candidate.factors if slug in baseline.factors]
    named = list(rule.factors) if rule.factors else [*known, OVERALL]
    before, after = paired_overall(baseline, candidate, alike)
    gaps: dict[str, Result] = {}
    for factor in named:
        pairs = sum(name in after.get(factor, {}) for name in before.get(factor, {}))
        gap = _gap(
            [baseline, candidate],
            factor,
            n=pairs,
            conversations=len(shared),
            least=gate.minimum_n,
            coverage=gate.minimum_coverage,
            gate=gate,
        )
        if gap is not None:
            state, told = gap
            unasked = rule.factors is None and state is State.INCONCLUSIVE
            if unasked and _never_assessable(before, factor, len(shared), gate):
                state = State.SKIPPED
            gaps[factor] = Result(f"{factor}: no regression", factor, state, told)
    tested = [factor for factor in named if factor not in gaps]
    found = differences(before, after, tested, alike, draws=gate.resamples, seed=gate.seed)
    made = {d.factor: _regression(d, len(found), (baseline, candidate), (before, after), gate) for d in found}
    yield from (gaps.get(factor) or made[factor] for factor in named)


def _regression(
    difference: Difference, tests: int, runs: tuple[Run, Run], scores: tuple[Scores, Scores], gate: Gate
) -> Result:
    factor = difference.factor
    margin = gate.regression.margin_of(factor)
    visible = difference.visible(gate.alpha, tests, margin)
    told = (
        f"{difference.baseline:.3f} before, {difference.candidate:.3f} now: {-difference.loss:+.3f} "
        f"(95 % interval {-difference.high:+.3f} to {-difference.low:+.3f}, n = {difference.n}, "
        f"margin {margin:g}, p = {difference.adjusted:.3g} after Holm)"
    )
    name = f"{factor}: no regression"
    if difference.loss <= margin:
        blind = gate.regression.largest_blind_drop
        if blind is not None and visible > blind:
            told += (
                f"; but a drop of {blind:g} could have gone unseen: the smallest that shows is {visible:.2f}"
            )
            return Result(name, factor, State.INCONCLUSIVE, told, difference, visible)
        return Result(name, factor, State.PASS, told, difference, visible)
    worst = _worst(runs[1], runs[0], factor, scores[1][factor], scores[0][factor])
    if difference.adjusted <= gate.alpha:
        return Result(name, factor, State.FAIL, told, difference, visible, worst)
    told += "; more than the margin, but chance may have done it"
    return Result(name, factor, State.INCONCLUSIVE, told, difference, visible, worst)


def _gap(
    runs: Sequence[Run],
    factor: str,
    *,
    n: int,
    conversations: int,
    least: int,
    coverage: float,
    gate: Gate,
) -> tuple[State, str] | None:
    """Why a factor cannot be decided; None where it can."""
    for run in runs:
        failures = _failures(run, factor)
        if sum(failures.values()) > gate.maximum_failed * max(len(run.records), 1):
            codes = ", ".join(f"{code} {count}" for code, count in failures.items())
            told = f"{sum(failures.values())} of {len(run.records)} verdicts failed in {run.name} ({codes})"
            only_misses = set(failures) == {CACHE_MISS}
            return (State.INCONCLUSIVE, f"{told}: not in the cache") if only_misses else (State.ERROR, told)
    if n < least:
        return State.INCONCLUSIVE, f"n = {n}, where {least} are needed{_why(runs, factor)}"
    if n < coverage * conversations:
        share = f"{n} of {conversations} conversations have a score, where {coverage:.0%} are needed"
        return State.INCONCLUSIVE, share + _why(runs, factor)
    return None


def _failures(run: Run, factor: str) -> dict[str, int]:
    factors: Iterable[str] = run.factors if factor == OVERALL else [factor]
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


def _never_assessable(before: Scores, factor: str, conversations: int, gate: Gate) -> bool:
    """Whether the baseline lacks the factor: nothing can have been lost, and nobody asked for it."""
    least = max(gate.minimum_coverage * conversations, 1)
    return len(before.get(factor, {})) < least and conversations >= gate.minimum_n


def _worst(
    run: Run,
    baseline: Run | None,
    factor: str,
    scores: Mapping[str, float],
    before: Mapping[str, float] | None,
) -> list[Case]:
    """The conversations that lost most, or that have the lowest scores."""
    earlier = before or {}
    cases = []
    for conversation, score in scores.items():
        if baseline is not None and conversation not in earlier:
            continue
        slug = factor if factor != OVERALL else _lowest(run, conversation)
        verdict = run.verdict(conversation, slug) if slug else None
        rationale = str((verdict or {}).get("rationale") or "")
        cases.append(Case(conversation, factor, score, earlier.get(conversation), rationale))
    cases.sort(key=lambda case: (-case.loss, case.conversation))
    return [case for case in cases if case.loss > 0][:MOST_WORST]


def _lowest(run: Run, conversation: str) -> str | None:
    shares = {
        slug: (factor.scores[conversation] - factor.low) / (factor.high - factor.low)
        for slug, factor in run.factors.items()
        if conversation in factor.scores
    }
    return min(shares, key=shares.__getitem__) if shares else None
