"""Confidence that rests on an exam: how often a judge sees the faults of a factor."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import replace

from ..domain.completion import Call
from ..domain.verdict import Flag, JudgeName, Scored, Verdict
from ..faults.fault import Fault
from ..judges.evaluation import EvaluationRequest, Judge, Refusal
from .report import FEWEST
from .run import Sitting

FLAG = "confidence_from_exam"


Trusts = Mapping[tuple[str, str, str], tuple[float, int]]
"""The pooled sensitivity over the faults whose home is one factor, and the number of its pairs. The keys are factor, judge and
evaluator revision: an exam says nothing about another revision."""


def trusts(sittings: Iterable[Sitting], faults: Mapping[str, Fault]) -> Trusts:
    """Pool sensitivities by factor; those of under `FEWEST` pairs are left out."""
    seen: dict[tuple[str, str, str], dict[str, bool]] = {}
    for sitting in sittings:
        for one in sitting.factors:
            key = (one.factor, one.judge, one.evaluator_revision)
            seen.setdefault(key, {}).update(_falls(sitting, one.factor, faults))
    return {
        key: (sum(fell.values()) / len(fell), len(fell)) for key, fell in seen.items() if len(fell) >= FEWEST
    }


def _falls(sitting: Sitting, factor: str, faults: Mapping[str, Fault]) -> dict[str, bool]:
    pairs = [one for one in sitting.pairs if one.fault in faults and faults[one.fault].home == factor]
    falls = {one.id: one.change(factor).fell for one in pairs}
    return {id_: fell for id_, fell in falls.items() if fell is not None}


class ExaminedJudge:
    """Passes verdicts on; their confidence is the sensitivity that an exam found, and a flag says so."""

    def __init__(self, inner: Judge, known: Trusts) -> None:
        self._inner = inner
        self._known = known

    @property
    def name(self) -> JudgeName:
        return self._inner.name

    def refusal(self, evaluation: EvaluationRequest) -> Refusal | None:
        return self._inner.refusal(evaluation)

    async def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]:
        async for verdict in self._inner.ask(evaluation, call):
            yield self._examined(verdict)

    def _examined(self, verdict: Verdict) -> Verdict:
        found = self._known.get((verdict.factor, str(verdict.judge), verdict.evaluator_revision))
        if found is None or not isinstance(verdict, Scored):
            return verdict
        sensitivity, pairs = found
        detail = f"An exam of {pairs} pairs found that this judge sees {sensitivity:.0%} of the faults of this factor."
        return replace(verdict, confidence=sensitivity, flags=(*verdict.flags, Flag(FLAG, detail)))


def examined(build: Callable[[JudgeName], Judge], known: Trusts) -> Callable[[JudgeName], Judge]:
    """Return a function that builds judges whose confidence rests on an exam; `build` itself where there is none."""
    return (lambda name: ExaminedJudge(build(name), known)) if known else build
