"""The ladder from faults to scores, which every judge shares.

A reply has points of 4 on each factor at stake: 4 less the largest expected cost (cost times probability) among its
faults. A reported fault counts with a probability of at least `SURE`. A log's score is the lower of two: the mean of its replies'
points, and CoRE's own ladder over the reported faults, where CoRE counts misses or takes a share. More faults, or more probable ones, never raise a score."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from ..domain.rubric import Factor
from ..domain.verdict import DetectedFault, Severity, TurnScore
from .fault import FaultCatalogue

FULL = 4.0
REPORTED = 0.5
"""Probability from which a fault is reported, where its detector has no threshold."""
SURE = 0.85
"""Least probability with which a fault over its detector's threshold counts: reports are right as often on average."""
SEVERITY = {Severity.MILD: 0.5, Severity.PLAIN: 1.0, Severity.GRAVE: 1.3}
COUNTED = frozenset({"coherence", "grammatical-correctness", "groundness"})
"""Factors whose paper counts misses: one is 3, four or more are 0."""
MISS = 2.0
"""Points that a fault with another home factor must cost to count as a miss."""
SHARED = frozenset({"proactiveness", "naturalness", "explainability"})
"""Factors whose paper takes the share of replies that do well: two thirds are 3, one third 2."""
SUMMED = frozenset({"broken-grammar"})
"""Faults that a reply can carry several times."""


@dataclass(frozen=True, slots=True)
class LadderResult:
    """A log's score on one factor, 0-4, with the points of each reply and the faults that lowered it, costliest first."""

    score: float
    turns: tuple[TurnScore, ...]
    faults: tuple[DetectedFault, ...]


def expected_cost(found: DetectedFault, factor: str, catalogue: FaultCatalogue) -> float:
    """Return the points of 4 that a fault is expected to cost on a factor: 0 where it does not lower it."""
    cost = catalogue[found.fault].costs.get(factor, 0.0)
    weight = SEVERITY[found.severity] if found.severity else 1.0
    return min(FULL, cost * weight) * found.probability


def is_reported(found: DetectedFault) -> bool:
    """Return whether a fault is reported: as its detector says, else by its probability."""
    return found.probability >= REPORTED if found.reported is None else found.reported


def reply_points(found: Iterable[DetectedFault], factor: str, catalogue: FaultCatalogue) -> float:
    """Return the points, 0-4, that a reply keeps on a factor with these faults."""
    lost = 0.0
    summed: Counter[str] = Counter()
    for one in found:
        cost = expected_cost(one, factor, catalogue)
        if one.fault in SUMMED:
            summed[one.fault] += 1
            cost = min(FULL, cost * summed[one.fault])
        lost = max(lost, cost)
    return FULL - lost


def score_replies(
    factor: Factor,
    replies: Sequence[int],
    found: Sequence[DetectedFault],
    catalogue: FaultCatalogue,
) -> LadderResult:
    """Score a log on one factor of CoRE.

    Args:
        factor: The factor. Its `count` ladder decides where the paper counts misses.
        replies: Indices in `messages` of the replies at stake; empty where the log has faults of missing replies alone.
        found: Every detected fault of the log, however improbable. Faults that do not lower the factor are ignored.
        catalogue: The costs.

    Returns:
        The score, the points of each reply, and the reported faults that lower the factor.

    Raises:
        ValueError: Nothing is at stake: no reply, and no fault."""
    lowering = [one for one in found if one.fault in catalogue and factor.slug in catalogue[one.fault].costs]
    by_message: dict[int, list[DetectedFault]] = {at: [] for at in replies}
    for one in lowering:
        by_message.setdefault(one.message if one.message is not None else -1, []).append(one)
    if not by_message:
        raise ValueError("a log without replies at stake has no score")
    points = {
        at: reply_points([_counted(one) for one in faults], factor.slug, catalogue)
        for at, faults in sorted(by_message.items())
    }
    score = fmean(points.values())
    if replies:  # a missing reply never lifts the mean of the others
        score = min(score, fmean(points[at] for at in replies))
    reported = [one for one in lowering if is_reported(one)]
    if factor.slug in COUNTED:
        score = min(score, factor.ladders["count"].level(_misses(reported, factor.slug, catalogue)))
    if factor.slug in SHARED:
        missed = {one.message for one in reported if _misses_factor(one, factor.slug, catalogue)}
        score = min(score, factor.ladders["share"].level(1 - len(missed) / max(len(points), 1)))
    reported.sort(key=lambda one: -expected_cost(one, factor.slug, catalogue))
    turns = tuple(TurnScore(at, round(kept, 3)) for at, kept in points.items() if at >= 0)
    return LadderResult(score, turns, tuple(reported))


def kept_share(replies: Sequence[int], found: Iterable[DetectedFault], catalogue: FaultCatalogue) -> float:
    """Return the mean share of points, 0 to 1, that these replies keep after their costliest reported faults, each on its
    home factor. The faults of missing replies count as replies."""
    lost = dict.fromkeys(replies, 0.0)
    for one in found:
        if is_reported(one) and one.message is not None and one.fault in catalogue:
            cost = expected_cost(_counted(one), catalogue[one.fault].home, catalogue)
            lost[one.message] = max(lost.get(one.message, 0.0), cost)
    return 1 - fmean(lost.values()) / FULL


def _counted(found: DetectedFault) -> DetectedFault:
    return replace(found, probability=SURE) if found.reported and found.probability < SURE else found


def _misses(found: Sequence[DetectedFault], factor: str, catalogue: FaultCatalogue) -> int:
    """Count misses: errors of grammar one by one, replies with another fault that misses the factor once each."""
    errors = sum(one.fault in SUMMED and catalogue[one.fault].home == factor for one in found)
    missed = {
        one.message for one in found if one.fault not in SUMMED and _misses_factor(one, factor, catalogue)
    }
    return errors + len(missed)


def _misses_factor(found: DetectedFault, factor: str, catalogue: FaultCatalogue) -> bool:
    fault = catalogue[found.fault]
    return fault.home == factor or fault.costs[factor] >= MISS
