"""The gate: every rule gets a verdict, and all of them one."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...domain.plurals import counted, listed
from ...statistics.permutation import mean_interval
from ..calibration.calibration_file import CalibrationFile
from ..configuration import GateSettings, Rule
from ..exits import CommandError
from ..scores import ANSWERED, BELONGING, MEAN, OVERALL, Run, repeated
from .paired import (
    ROUNDING,
    RunDifference,
    Scores,
    comparable,
    differences,
    paired_scores,
    shared_names,
    signed,
)
from .people_scale import labelled_factors, labels_of_runs, people_differences
from .results import (
    CONVERSATIONS,
    NO_OCCASION,
    GateJudgement,
    Presence,
    RuleResult,
    RuleState,
    gap,
    worst_cases,
)
from .rules import against_limits, changes_of, fault_shares, judge_change, judge_fault, new_certain_faults

MOST_LISTED = 5


def judge(
    candidate: Run,
    baseline: Run | None,
    gate: GateSettings,
    calibration: CalibrationFile | None = None,
    *,
    asked: Collection[str] = (),
) -> GateJudgement:
    """Judge every rule of the gate; with a calibration, regressions on people's scale.

    `asked` holds the factors that a user named: they are never skipped. Raises CommandError where the runs do not compare."""
    results = judge_alone(candidate, gate)
    if baseline is None:
        unused = "maximum_new is not checked: give --baseline, whose faults are not new."
        return GateJudgement(results, candidate, None, () if gate.maximum_new is None else (unused,))
    compared = RunComparison.of(baseline, candidate, gate, calibration, asked)
    results += [*compared.fault_results(), *compared.results()]
    return GateJudgement(results, candidate, baseline, tuple(compared.notes()))


def judge_alone(candidate: Run, gate: GateSettings) -> list[RuleResult]:
    """Judge rules that need no baseline, except metric rules: verdicts lack metrics."""
    faults = [judge_fault(candidate, rule, gate) for rule in gate.rules if rule.fault is not None]
    return [*faults, *(_absolute(candidate, rule, gate) for rule in gate.rules if rule.factor is not None)]


def _absolute(run: Run, rule: Rule, gate: GateSettings) -> RuleResult:
    assert rule.factor is not None
    scores = _scores(run, rule.factor)
    if rule.mean is not None:
        name = f"{rule.factor}: mean at least {rule.mean:g}"
        values, bar = list(scores.values()), rule.mean
    else:
        assert rule.at_or_above is not None
        assert rule.share is not None
        name = f"{rule.factor}: {rule.share:.0%} at {rule.at_or_above:g} or above"
        repeats = repeated(run, rule.factor) or {name: [score] for name, score in scores.items()}
        bar, level = rule.share, rule.at_or_above
        values = [sum(score >= level for score in one) / len(one) for one in repeats.values()]
    missing = gap([run], rule.factor, len(values), gate, of=len(run.conversations), least=rule.minimum_n)
    if missing is not None:
        return RuleResult(name, rule.factor, *missing)
    value = sum(values) / len(values)
    interval = mean_interval(values)
    assert interval is not None  # there are as many values as the gate needs
    detail = f"{value:z.3g} (95 % interval {interval.low:z.3g} to {interval.high:z.3g}, n = {len(values)})"
    if rule.share is not None and (some := sum(0 < one < 1 for one in values)):
        detail += f"; {counted(some, 'situation')} in some repeats only"
    state, detail = against_limits(value, interval, detail, None, minimum=bar)
    worst = [] if state is RuleState.PASS else worst_cases(run, None, rule.factor, scores, {})
    return RuleResult(name, rule.factor, state, detail, worst=worst)


def _scores(run: Run, factor: str) -> dict[str, float]:
    own = {OVERALL: run.overall, MEAN: run.mean, BELONGING: run.belonging, ANSWERED: run.answered}
    if factor in own:
        return own[factor]
    return run.factors[factor].scores if factor in run.factors else {}


@dataclass(frozen=True)
class RunComparison:
    """Two runs over the conversations that both `shared`, of which `alike` were judged alike."""

    baseline: Run
    candidate: Run
    shared: Sequence[str]
    alike: Sequence[str]
    gate: GateSettings
    calibration: CalibrationFile | None = None
    asked: Collection[str] = ()

    @classmethod
    def of(cls, baseline: Run, candidate: Run, gate: GateSettings, *more: Any) -> "RunComparison":
        """Pair the runs. Raises CommandError where they share no conversation, or too few were judged alike."""
        shared = shared_names(
            (baseline.name, baseline.conversations), (candidate.name, candidate.conversations)
        )
        alike = comparable(baseline, candidate, shared, gate.minimum_coverage)
        return cls(baseline, candidate, shared, alike, gate, *more)

    @cached_property
    def scores(self) -> tuple[Scores, Scores]:
        """Before and now."""
        return paired_scores(self.baseline, self.candidate, self.alike)

    @cached_property
    def missing(self) -> Sequence[str]:
        """The conversations of the baseline that the candidate lacks."""
        known = set(self.shared)
        return [name for name in self.baseline.conversations if name not in known]

    @cached_property
    def silent(self) -> Sequence[str]:
        """The conversations in which the baseline replies and the candidate does not."""
        return [name for name in self.shared if name in self.candidate.silent - self.baseline.silent]

    @property
    def conversations(self) -> int:
        """Conversations in either run, the base of coverage."""
        return len(self.missing) + len(self.candidate.conversations)

    def notes(self) -> Iterator[str]:
        """Warnings about conversations that could not be paired."""
        if self.missing:
            count = counted(len(self.missing), "conversation", of=len(self.baseline.conversations))
            yield f"{count} missing from {self.candidate.name}: {listed(self.missing, MOST_LISTED)}."
        if self.silent:
            count = counted(len(self.silent), "conversation")
            yield f"{self.candidate.name} does not reply in {count}: {listed(self.silent, MOST_LISTED)}."
        if more := len(self.candidate.conversations) - len(self.shared):
            yield f"{counted(more, 'conversation')} only in {self.candidate.name}, not in {self.baseline.name}."
        if unlike := len(self.shared) - len(self.alike):
            yield f"{counted(unlike, 'conversation')} not judged in the same way in both runs, or not at all."
        for run in (self.baseline, self.candidate):
            if len(run.records) > len(run.conversations):
                counts = f"{counted(len(run.records), 'conversation')} in {counted(len(run.conversations), 'situation')}"
                yield f"{run.name}: {counts}; the repeats of a situation count as their mean."
        runs = self.baseline, self.candidate
        if self.calibration and (lost := labels_of_runs(self.calibration, *runs)[1]):
            yield f"Of the calibration's labels, {lost} belong to conversations in neither run."

    def fault_results(self) -> Iterator[RuleResult]:
        """Return the result about new certain faults, then one for each fault that occurs in either run."""
        runs = self.baseline, self.candidate
        if (new := new_certain_faults(*runs, self.alike, self.gate)) is not None:
            yield new
        for change in changes_of(*fault_shares(*runs, self.alike, self.gate), self.gate):
            yield judge_change(change, self.candidate, self.gate)

    def results(self) -> Iterator[RuleResult]:
        """Yield a failure if too many conversations are missing, then a result for each factor."""
        least = self.gate.maximum_missing
        gone, every = [*self.missing, *self.silent], self.baseline.conversations
        if len(gone) > least * len(every):
            detail = (
                f"{counted(len(gone), 'conversation', of=len(every))} of {self.baseline.name} missing from {self.candidate.name} or "
                f"without a reply there, but at most {least:.0%} may be missing (maximum_missing): {listed(gone, MOST_LISTED)}"
            )
            yield RuleResult("conversations: none missing", CONVERSATIONS, RuleState.FAIL, detail)
        named = self._named()
        gaps = {result.factor: result for factor in named if (result := self._gap(factor)) is not None}
        tested = [factor for factor in named if factor not in gaps]
        found = {one.factor: one for one in self._differences(tested)}
        for factor in named:
            if factor in gaps:
                yield gaps[factor]
            elif factor in found:
                yield self._thinned(self._regression(found[factor]))
            else:
                detail = (
                    "too few of its labels are of these runs, two or more of each. Have people label some of both: "
                    "crs-eval label sample BASELINE.jsonl RUN.jsonl"
                )
                yield RuleResult(f"{factor}: no regression", factor, RuleState.INCONCLUSIVE, detail)

    def _thinned(self, result: RuleResult) -> RuleResult:
        """Leave a result undecided if it rests on fewer scores than before, except a failure."""
        presence = self._presence(result.factor)
        if result.state is not RuleState.PASS or not presence.thinned(self.gate):
            return result
        detail = f"{result.detail}; but {presence.text}, a loss that chance does not explain"
        return replace(result, state=RuleState.INCONCLUSIVE, detail=detail)

    def _presence(self, factor: str) -> Presence:
        verdicts = {name: self.candidate.verdict(name, factor) or {} for name in self.alike}
        reasons = {name: verdict.get("reason") or {} for name, verdict in verdicts.items()}
        excused = {name for name, reason in reasons.items() if reason.get("code") == NO_OCCASION}
        had, has = (set(self.alike).intersection(run.get(factor, {})) - excused for run in self.scores)
        return Presence(len(self.alike), len(had), len(had - has), len(has - had))

    def _named(self) -> list[str]:
        """The factors that regressions are looked for in. Requests without a reply are counted whatever is named."""
        answered = [ANSWERED] if self.baseline.answered and self.candidate.answered else []
        if self.gate.regression.factors is not None:
            return list(dict.fromkeys([*self.gate.regression.factors, *answered]))
        known = [slug for slug in self.candidate.factors if slug in self.baseline.factors]
        if self.calibration is None:
            belonging = [BELONGING] if self.baseline.belonging and self.candidate.belonging else []
            overall = [OVERALL] if self.baseline.overall and self.candidate.overall else []
            # Of one factor, `mean` would be a copy with half the margin.
            whole = [MEAN, *overall] if len(known) != 1 else []
            return [*known, *whole, *belonging, *answered]
        labelled = [slug for slug in labelled_factors(self.calibration, self.candidate) if slug in known]
        if not labelled:
            raise CommandError("The calibration has no labels for a factor that both runs were judged on.")
        return [*labelled, *answered]

    def _differences(self, factors: Sequence[str]) -> Sequence[RunDifference]:
        gate, labels = self.gate, self.calibration
        counted = [factor for factor in factors if labels is None or factor == ANSWERED]
        found = differences(*self.scores, counted, self.alike, draws=gate.draws, alpha=gate.alpha)
        if labels is not None:  # only factors have labels
            labelled = [factor for factor in factors if factor in self.candidate.factors]
            runs = self.baseline, self.candidate
            found += people_differences(*runs, self.alike, labelled, labels, alpha=gate.alpha)
        return found

    def _gap(self, factor: str) -> RuleResult | None:
        """Return the reason why a factor cannot be compared; None if it can."""
        presence = self._presence(factor)
        before, after = self.scores
        pairs = len(before.get(factor, {}).keys() & after.get(factor, {}).keys())
        runs = [self.baseline, self.candidate]
        missing = gap(runs, factor, pairs, self.gate, of=self.conversations)
        if missing is None:
            return None
        state, detail = missing
        unasked = self.gate.regression.factors is None and factor not in (OVERALL, MEAN, *self.asked)
        if state is RuleState.INCONCLUSIVE and presence.vanished(self.gate):
            state, detail = RuleState(self.gate.regression.vanished), f"{presence.text}; {detail}"
        elif state is RuleState.INCONCLUSIVE and unasked and not presence.thinned(self.gate):
            state = RuleState.SKIPPED
            detail += "; the verdict does not need this factor, since no rule and no option names it"
        return RuleResult(f"{factor}: no regression", factor, state, detail)

    def _regression(self, difference: RunDifference) -> RuleResult:
        factor, gate = difference.factor, self.gate
        margin = gate.regression.margin_of(factor)
        visible = difference.visible(margin)
        name, detail = f"{factor}: no regression", _detail(difference, margin, visible)
        before, after = self.scores
        worst = worst_cases(self.candidate, self.baseline, factor, after[factor], before[factor])
        state, blind = RuleState.PASS, gate.regression.largest_blind_drop
        certain = difference.adjusted <= gate.alpha
        if difference.loss > margin + ROUNDING:
            detail += (
                "; belonging is the mean probability that a reply has no fault" if factor == BELONGING else ""
            )
            detail += "" if certain else "; more than the margin, but chance can explain it"
            state = RuleState.FAIL if certain else RuleState.INCONCLUSIVE
        elif blind is not None and visible > blind:
            detail += f"; but a run of this size cannot detect a drop of {blind:g}"
            state = RuleState.INCONCLUSIVE
        elif certain:
            detail += f"; a small but real loss: {difference.loss:.2g} of the allowed {margin:g}"
        return RuleResult(name, factor, state, detail, difference, visible, worst)


def _detail(difference: RunDifference, margin: float, visible: float) -> str:
    about = f"; {difference.about}" if difference.about else ""
    return (
        f"{difference.baseline:.3f} before, {difference.candidate:.3f} now: {signed(-difference.loss, 3)} "
        f"(95 % interval {signed(-difference.high, 3)} to {signed(-difference.low, 3)}, n = {difference.n}, "
        f"margin {margin:g}, smallest visible drop {visible:.2f}, "
        f"p = {difference.adjusted:.3g} after correction for all factors){about}"
    )
