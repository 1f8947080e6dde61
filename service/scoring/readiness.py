"""Readiness of logs: which factors can be judged with what they hold, and which fields would make more of them assessable.

Both follow from what judges miss: a model by the factors' needs, the embedded judge by its own answer."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..domain.completion import Call
from ..domain.conversation import UNKNOWN_DOMAIN, ConversationLog
from ..domain.rubric import Factor, Need
from ..domain.verdict import NotAssessable
from ..judges.evaluation import EvaluationRequest, Judge, JudgeInput
from ..judges.llm.judge import missing_inputs

DOMAIN = "domain"
_OF_REQUESTS = frozenset({"verdicts", "catalog"})
"""Inputs that judges miss and that are no fields of a log."""


@dataclass
class Readiness:
    """Counts over `logs` logs."""

    logs: int = 0
    by_model: Counter[str] = field(default_factory=Counter)
    """The logs in which a model can judge each factor, by its slug."""
    without_model: Counter[str] = field(default_factory=Counter)
    """The same of the judge that needs no model."""
    silent: dict[str, Counter[str]] = field(default_factory=dict)
    """Reasons, by their codes, why it cannot judge a factor though no field is missing; by the factor's slug."""
    lacking: dict[str, Counter[str]] = field(default_factory=dict)
    """By field, the logs that lack it, for each factor that either judge needs it for."""
    unsure: dict[str, Counter[str]] = field(default_factory=dict)
    """By field, the logs that lack it for each factor that would be surer of its score."""

    def fields(self) -> list[str]:
        """The fields that would help, those without which most is not judged first."""
        names = {*self.lacking, *self.unsure}
        return sorted(names, key=lambda name: (-_total(self.lacking, name), -_total(self.unsure, name), name))


def _total(counts: Mapping[str, Counter[str]], name: str) -> int:
    return counts[name].total() if name in counts else 0


async def readiness(logs: Iterable[ConversationLog], factors: Sequence[Factor], judge: Judge) -> Readiness:
    """Count what these logs hold of what the factors need. `judge` is the one that needs no model."""
    found = Readiness()
    for log in logs:
        found.logs += 1
        missed = await _missed(log, factors, judge, found)
        for factor in factors:
            lacking = set(_lacks(log, factor))
            found.by_model[factor.slug] += not lacking
            unmet = lacking | missed.get(factor.slug, set())
            _add(found.lacking, unmet, factor)
            unsure = set(_lacks(log, replace(factor, needs=factor.uses)))
            # The factor's standards may depend on the domain.
            unsure |= {DOMAIN} if factor.notes and log.domain == UNKNOWN_DOMAIN else set()
            _add(found.unsure, unsure - unmet, factor)
    return found


def _add(counts: dict[str, Counter[str]], names: Iterable[str], factor: Factor) -> None:
    for name in names:
        counts.setdefault(name, Counter())[factor.slug] += 1


async def _missed(
    log: ConversationLog, factors: Sequence[Factor], judge: Judge, found: Readiness
) -> Mapping[str, set[str]]:
    """Return the fields that the judge without a model misses, by factor; what it can judge is counted."""
    missed = {}
    async for verdict in judge.ask(EvaluationRequest(JudgeInput(log), tuple(factors)), Call()):
        missing = verdict.missing if isinstance(verdict, NotAssessable) else ()
        missed[verdict.factor] = set(missing) - _OF_REQUESTS
        found.without_model[verdict.factor] += not isinstance(verdict, NotAssessable) or "verdicts" in missing
        if isinstance(verdict, NotAssessable) and not missing:
            found.silent.setdefault(verdict.factor, Counter())[verdict.code] += 1
    return missed


def _lacks(log: ConversationLog, factor: Factor) -> Iterator[str]:
    """The fields that the factor needs and the log has not. Other factors' scores come with the same request."""
    asked = replace(factor, needs=tuple(need for need in factor.needs if need is not Need.VERDICTS))
    for gap in missing_inputs(EvaluationRequest(JudgeInput(log), (asked,)), asked):
        yield from gap.missing
