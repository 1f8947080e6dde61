"""Outcomes of an exam: how a judge's scores differ between the two versions of a pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..domain.rubric import Factor, Protocol
from ..domain.verdict import Failed, Scored, Verdict
from ..scoring.summary import summarise
from .pair import ExamConversation, MinimalPair

FALL = 0.5
"""Points of 4 by which a log's score must differ to count."""
OWN_FALL = 1.5
"""Points of 4 by which the faulty reply's own points must fall in long logs."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class FactorChange:
    """A factor's scores of both versions."""

    factor: str
    good: float | None
    """Null where it is not assessable or failed."""
    bad: float | None
    fell: bool | None
    """True where the fault shows; null without both scores."""
    failed: bool = False

    @property
    def moved(self) -> bool | None:
        """True where the scores differ by half a point, None where either version has no score."""
        if self.good is None or self.bad is None:
            return None
        return abs(self.good - self.bad) >= FALL - _ROUNDING


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """A judge's reading of one pair."""

    id: str
    fault: str
    language: str
    reacts: bool
    changes: tuple[FactorChange, ...]
    good_faults: tuple[str, ...]
    """Faults that the judge reports in the good version: false alarms."""
    bad_faults: tuple[str, ...]
    good_overall: float | None
    bad_overall: float | None

    def change(self, factor: str) -> FactorChange:
        """Return the change of a factor; one without scores where the factor was not asked."""
        found = (one for one in self.changes if one.factor == factor)
        return next(found, FactorChange(factor, None, None, None))


@dataclass(frozen=True, slots=True)
class RatedOutcome:
    """The overall score of a rated conversation."""

    id: str
    overall: float | None
    rating: float
    """Mean of the raters."""


def pair_outcome(
    pair: MinimalPair, good: Sequence[Verdict], bad: Sequence[Verdict], factors: Mapping[str, Factor]
) -> PairOutcome:
    """Compare the verdicts on both versions of a pair."""
    after = {verdict.factor: verdict for verdict in bad}
    good_overall, bad_overall = overalls((good, bad), factors)
    return PairOutcome(
        id=pair.id,
        fault=pair.fault,
        language=pair.language,
        reacts=pair.reacts,
        changes=tuple(_change(pair, one, after[one.factor]) for one in good),
        good_faults=reported(good),
        bad_faults=reported(bad),
        good_overall=good_overall,
        bad_overall=bad_overall,
    )


def rated_outcome(
    conversation: ExamConversation, verdicts: Sequence[Verdict], factors: Mapping[str, Factor]
) -> RatedOutcome:
    """Return the overall score of a rated conversation."""
    [overall] = overalls((verdicts,), factors)
    return RatedOutcome(conversation.id, overall, conversation.overall)


def reported(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Return the faults that any verdict reports, each once."""
    return tuple(sorted({one.fault for verdict in verdicts for one in verdict.faults}))


def overalls(logs: Sequence[Sequence[Verdict]], factors: Mapping[str, Factor]) -> tuple[float | None, ...]:
    """Return the overall score by CoRE of each log: the fitted one where all logs have it, else the mean of the factors."""
    found = [
        next((one for one in summarise(verdicts, factors) if one.protocol == Protocol.CORE), None)
        for verdicts in logs
    ]
    if all(one is not None and one.overall is not None for one in found):
        return tuple(one.overall if one else None for one in found)
    return tuple(one.mean if one else None for one in found)


def _change(pair: MinimalPair, good: Verdict, bad: Verdict) -> FactorChange:
    failed = isinstance(good, Failed) or isinstance(bad, Failed)
    before = good.score if isinstance(good, Scored) else None
    after = bad.score if isinstance(bad, Scored) else None
    fell = None
    if isinstance(good, Scored) and isinstance(bad, Scored):
        own = _own_fall(pair, good, bad) if pair.is_long else None
        drop, least = (good.score - bad.score, FALL) if own is None else (own, OWN_FALL)
        fell = drop >= least - _ROUNDING
    return FactorChange(good.factor, before, after, fell, failed)


def _own_fall(pair: MinimalPair, good: Scored, bad: Scored) -> float | None:
    """Return by how many points the reply itself falls; None where the judge does not score replies one by one."""
    before = [turn.score for turn in good.turns or () if turn.message == pair.message]
    after = [turn.score for turn in bad.turns or () if turn.message in pair.spoiled]
    return before[0] - min(after) if before and after else None
