"""Verdicts in a few numbers: means by protocol and dimension."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from ..domain.calibration import Calibrated
from ..domain.completion import NO_USAGE, Usage
from ..domain.conversation import ConversationLog
from ..domain.rounding import Figure
from ..domain.rubric import Factor, Protocol, Scale
from ..domain.verdict import Failed, JudgeName, NotAssessable, Scored, Verdict, each_judge
from .overall import overall_of


@dataclass(frozen=True, slots=True)
class Summary:
    """The verdicts of one protocol in a few numbers."""

    protocol: str
    scale: Scale
    mean: Figure | None
    """Over scored factors; null where there is none."""
    dimensions: Mapping[str, Figure | None]
    """The mean of each dimension's scored factors."""
    assessed: int
    not_assessable: int
    failed: int
    total: Figure | None
    """Sum of the scores; null where nothing was scored."""
    confidence: Figure | None
    """Mean confidence of the scored factors, 0-1; null where no judge gave any."""
    overall: Figure | None
    """One score for the whole log, 0-4, fitted to ratings of whole conversations; of `core` alone. Null
    where factors with half of the weight have no score."""
    calibrated: Calibrated | None = None
    """The mean on people's scale, where the calibration has a map of this summary."""


def summarise(verdicts: Sequence[Verdict], factors: Mapping[str, Factor]) -> tuple[Summary, ...]:
    """One summary for each protocol and scale among the verdicts, in the order they appear."""
    groups: dict[tuple[Protocol, Scale], list[Verdict]] = {}
    for verdict in verdicts:
        factor = factors[verdict.factor]
        groups.setdefault((factor.protocol, factor.scale), []).append(verdict)
    return tuple(_summary(protocol, scale, group, factors) for (protocol, scale), group in groups.items())


def _summary(
    protocol: Protocol, scale: Scale, verdicts: Sequence[Verdict], factors: Mapping[str, Factor]
) -> Summary:
    scored = [verdict for verdict in verdicts if isinstance(verdict, Scored)]
    dimensions = dict.fromkeys(factors[verdict.factor].dimension for verdict in verdicts)
    return Summary(
        protocol=protocol.value,
        scale=scale,
        mean=_mean([(verdict.score, factors[verdict.factor].weight) for verdict in scored]),
        dimensions={
            dimension: _mean(
                [
                    (v.score, factors[v.factor].weight)
                    for v in scored
                    if factors[v.factor].dimension == dimension
                ]
            )
            for dimension in dimensions
        },
        assessed=len(scored),
        not_assessable=sum(isinstance(verdict, NotAssessable) for verdict in verdicts),
        failed=sum(isinstance(verdict, Failed) for verdict in verdicts),
        total=sum(verdict.score for verdict in scored) if scored else None,
        confidence=_mean(
            [(v.confidence, factors[v.factor].weight) for v in scored if v.confidence is not None]
        ),
        overall=overall_of(scored) if protocol is Protocol.CORE else None,
    )


@dataclass(frozen=True, slots=True)
class FaultCount:
    """A fault's frequency in the log."""

    fault: Annotated[str, Field(description="Slug of the fault.", examples=["ignores-question"])]
    replies: int
    """Replies that carry it. A missing reply counts as one."""
    rate: Figure
    """Share of the replies, 0-1."""


def fault_frequencies(verdicts: Iterable[Verdict], log: ConversationLog) -> tuple[FaultCount, ...]:
    """Count each reported fault once per reply, over all verdicts of a log; the most frequent first."""
    found = {(one.fault, one.message) for verdict in verdicts for one in verdict.faults}
    missing = sum(
        message not in log.replies for message in {at for fault, at in found if fault == "no-reply"}
    )
    replies = max(1, len(log.replies) + missing)
    counts = Counter(fault for fault, _ in found)
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return tuple(FaultCount(fault, count, round(count / replies, 4)) for fault, count in ranked)


def _mean(weighted: Sequence[tuple[float, float]]) -> float | None:
    return (
        sum(score * weight for score, weight in weighted) / sum(w for _, w in weighted) if weighted else None
    )


def total_usage(verdicts: Iterable[Verdict]) -> Usage:
    """All verdicts' usage added up."""
    return sum((verdict.usage for verdict in verdicts), NO_USAGE)


def judges_of(verdicts: Iterable[Verdict]) -> tuple[JudgeName, ...]:
    """The distinct judges, members of panels among them, in the order they appear."""
    return tuple(dict.fromkeys(verdict.judge for verdict in each_judge(verdicts)))
