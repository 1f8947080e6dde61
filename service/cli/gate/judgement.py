"""The gate: every rule gets a verdict, and all of them one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..calibration.calibration_file import CalibrationFile
from ..configuration import Gate, Rule
from ..exits import CommandError
from ..overview import mean_interval
from ..scores import BELONGING, COHERENCE, OVERALL, Run, overall
from .cases import worst_cases
from .comparable import comparable, paired_overall, shared_conversations
from .gaps import Demand, Presence, gap
from .paired import Difference, Scores, differences, signed
from .people_scale import Labelled, labelled_factors, people_differences
from .results import CONVERSATIONS, Judgement, Result, State


def judge(
    candidate: Run, baseline: Run | None, gate: Gate, calibration: CalibrationFile | None = None
) -> Judgement:
    """Every rule of the gate; with a calibration, regressions on people's scale. Raises CommandError where the runs do not
    compare."""
    results = judge_alone(candidate, gate)
    if baseline is None:
        return Judgement(results, candidate, None)
    shared = shared_conversations(baseline, candidate)
    alike = comparable(baseline, candidate, shared, gate.minimum_coverage)
    compared = Comparison(baseline, candidate, shared, alike, gate, calibration)
    regressions = list(compared.results())
    notes = (*compared.notes(), *_within_margin(regressions, gate))
    return Judgement([*results, *regressions], candidate, baseline, notes)


def judge_alone(candidate: Run, gate: Gate) -> list[Result]:
    """The rules that need no baseline."""
    return [_absolute(candidate, rule, gate) for rule in gate.rules]


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
    coverage = gate.minimum_coverage if rule.minimum_coverage is None else rule.minimum_coverage
    demand = Demand(len(run.records), rule.minimum_n or gate.minimum_n, coverage)
    if (missing := gap([run], rule.factor, len(values), demand, gate.maximum_failed)) is not None:
        return Result(name, rule.factor, *missing)
    value = sum(values) / len(values)
    interval = mean_interval(values) or (value, value)
    told = f"{value:z.3g} (95 % interval {interval[0]:z.3g} to {interval[1]:z.3g}, n = {len(values)})"
    if value >= bar:
        return Result(name, rule.factor, State.PASS, told)
    worst = worst_cases(run, None, rule.factor, scores, {})
    if interval[1] < bar:
        return Result(name, rule.factor, State.FAIL, told, worst=worst)
    told += "; under the bar, but so near to it that chance may have done it"
    return Result(name, rule.factor, State.INCONCLUSIVE, told, worst=worst)


def _scores(run: Run, factor: str) -> dict[str, float]:
    if factor == OVERALL:
        return overall(run, list(run.factors))
    if factor == BELONGING:
        return run.belonging
    return run.factors[factor].scores if factor in run.factors else {}


@dataclass(frozen=True)
class Comparison:
    """Two runs over the conversations that both `shared`, of which `alike` were judged alike."""

    baseline: Run
    candidate: Run
    shared: Sequence[str]
    alike: Sequence[str]
    gate: Gate
    calibration: CalibrationFile | None = None

    @cached_property
    def scores(self) -> tuple[Scores, Scores]:
        """Before and now."""
        return paired_overall(self.baseline, self.candidate, self.alike)

    @property
    def missing(self) -> int:
        """Return how many conversations of the baseline the candidate lacks."""
        return len(self.baseline.conversations) - len(self.shared)

    @property
    def conversations(self) -> int:
        """All that either run has: what coverage is a share of."""
        return self.missing + len(self.candidate.conversations)

    def notes(self) -> Iterator[str]:
        """Warnings: what could not be paired."""
        if self.missing:
            yield f"{self.missing} of {len(self.baseline.conversations)} conversations are missing from {self.candidate.name}."
        if more := len(self.candidate.conversations) - len(self.shared):
            yield f"{more} conversations of {self.candidate.name} are not in {self.baseline.name}."
        if unlike := len(self.shared) - len(self.alike):
            yield f"{unlike} conversations were not judged alike in both runs, or not at all."
        if self.calibration is not None:
            yield from Labelled.of(self.calibration, self.baseline, self.candidate).remarks()

    def results(self) -> Iterator[Result]:
        """Return whether conversations are missing, then a result for each factor."""
        least = self.gate.maximum_missing
        if self.missing > least * len(self.baseline.conversations):
            told = (
                f"{self.missing} of the {len(self.baseline.conversations)} conversations of {self.baseline.name} are missing "
                f"from {self.candidate.name}, where {least:.0%} may be (maximum_missing)"
            )
            yield Result("conversations: none missing", CONVERSATIONS, State.FAIL, told)
        named = self._named()
        gaps = {result.factor: result for factor in named if (result := self._gap(factor)) is not None}
        tested = [factor for factor in named if factor not in gaps]
        found = {one.factor: one for one in self._differences(tested)}
        made = {factor: self._regression(one, found.get(COHERENCE)) for factor, one in found.items()}
        yield from (gaps.get(factor) or made.get(factor) or _unlabelled(factor) for factor in named)

    def _named(self) -> list[str]:
        """The factors that regressions are looked for in."""
        if self.gate.regression.factors:
            return list(self.gate.regression.factors)
        known = [slug for slug in self.candidate.factors if slug in self.baseline.factors]
        if self.calibration is None:
            counted = self.baseline.belonging and self.candidate.belonging
            return [*known, OVERALL, *([BELONGING] if counted else [])]
        labelled = [slug for slug in labelled_factors(self.calibration, self.candidate) if slug in known]
        if not labelled:
            raise CommandError("The calibration has no labels of a factor that both runs were judged on.")
        return labelled

    def _differences(self, factors: Sequence[str]) -> Sequence[Difference]:
        gate = self.gate
        if self.calibration is None:
            return differences(
                *self.scores, factors, self.alike, draws=gate.draws, seed=gate.seed, alpha=gate.alpha
            )
        runs = self.baseline, self.candidate
        judged = [factor for factor in factors if factor != OVERALL]
        return people_differences(*runs, self.alike, judged, self.calibration, alpha=gate.alpha)

    def _gap(self, factor: str) -> Result | None:
        """Return the reason why a factor cannot be compared; None where it can."""
        before, after = self.scores
        presence = Presence.of(before, after, factor, self.alike)
        demand = Demand(self.conversations, self.gate.minimum_n, self.gate.minimum_coverage)
        pairs = presence.had - presence.lost
        runs = [self.baseline, self.candidate]
        missing = gap(runs, factor, pairs, demand, self.gate.maximum_failed)
        if missing is None:
            return None
        state, told = missing
        if state is State.INCONCLUSIVE and presence.vanished(self.gate):
            state, told = State(self.gate.regression.vanished), f"{presence.told}; {told}"
        elif state is State.INCONCLUSIVE and self._unasked(factor) and presence.p > self.gate.alpha:
            state, told = State.SKIPPED, f"{told}; nobody named it"
        return Result(f"{factor}: no regression", factor, state, told)

    def _unasked(self, factor: str) -> bool:
        return self.gate.regression.factors is None and factor != OVERALL

    def _regression(self, difference: Difference, coherence: Difference | None) -> Result:
        factor, gate = difference.factor, self.gate
        margin = gate.regression.margin_of(factor)
        visible = difference.visible(margin)
        name, told = f"{factor}: no regression", _told(difference, margin)
        if difference.loss <= margin:
            blind = gate.regression.largest_blind_drop
            if blind is not None and visible > blind:
                told += f"; but a drop of {blind:g} could have gone unseen: the smallest that shows is {visible:.2f}"
                return Result(name, factor, State.INCONCLUSIVE, told, difference, visible)
            if difference.adjusted <= gate.alpha:
                told += "; a certain loss, within the margin"
            return Result(name, factor, State.PASS, told, difference, visible)
        # Other words may fit a conversation less and serve its user better. Replies to somebody else gain nothing.
        if factor == BELONGING and coherence is not None and coherence.high < 0:
            told += "; coherence rose for certain, so other words explain it"
            return Result(name, factor, State.PASS, told, difference, visible)
        before, after = self.scores
        worst = worst_cases(self.candidate, self.baseline, factor, after[factor], before[factor])
        if difference.adjusted <= gate.alpha:
            return Result(name, factor, State.FAIL, told, difference, visible, worst)
        told += "; more than the margin, but chance may have done it"
        return Result(name, factor, State.INCONCLUSIVE, told, difference, visible, worst)


def _unlabelled(factor: str) -> Result:
    """The result of a factor that lacks labels in one of the runs."""
    told = (
        "too few of its labels are of these runs, two or more of each. Have people label some of both: "
        "crs-eval label sample BASELINE.jsonl RUN.jsonl"
    )
    return Result(f"{factor}: no regression", factor, State.INCONCLUSIVE, told)


def _told(difference: Difference, margin: float) -> str:
    about = f"; {difference.about}" if difference.about else ""
    return (
        f"{difference.baseline:.3f} before, {difference.candidate:.3f} now: {signed(-difference.loss, 3)} "
        f"(95 % interval {signed(-difference.high, 3)} to {signed(-difference.low, 3)}, n = {difference.n}, "
        f"margin {margin:g}, p = {difference.adjusted:.3g} over all factors){about}"
    )


def _within_margin(results: Sequence[Result], gate: Gate) -> Iterator[str]:
    """A certain loss is said although it fails nothing."""
    for result in results:
        d = result.difference
        if d is not None and result.state is not State.FAIL and d.loss > 0 and d.adjusted <= gate.alpha:
            lost = signed(-d.loss, 2) if round(d.loss, 2) else f"{-d.loss:.1g}"
            yield f"{d.factor} {lost}, p = {d.adjusted:.2g}, within the margin."
