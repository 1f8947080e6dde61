"""Many factors over one log: each goes to its judge or to a panel whose verdicts become one. Verdicts return
as they are ready. Also the comparability key."""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..domain.completion import NO_USAGE, Call
from ..domain.rubric import Factor, Scale
from ..domain.verdict import (
    DetectedFault,
    Failed,
    Flag,
    JudgeName,
    NotAssessable,
    Samples,
    Scored,
    Verdict,
    nearest_level,
)
from ..faults import load_faults
from ..faults.ladder import SUMMED, expected_cost, is_reported
from ..judges.evaluation import EvaluationRequest, Judge
from .mixture import Aggregate
from .overall import overall_revision

PANEL = "panel"
"""The name under which a panel judges; its model says who counted."""

LISTING = frozenset({None, "faults"})
"""Methods of members that report faults: the embedded judge, and models that list them."""

REVISION = 1
"""Raise it when the same members' verdicts lead to another one."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Judges that all rate a factor, and the rule that combines their scores."""

    members: tuple[JudgeName, ...]
    aggregate: Aggregate = Aggregate.MEAN

    @property
    def name(self) -> JudgeName:
        """The name of the whole panel."""
        return self.of(self.members)

    def of(self, members: Iterable[JudgeName]) -> JudgeName:
        """The panel's name where only these count: scores of other judges do not compare."""
        return JudgeName(PANEL, f"{self.aggregate.value}({' + '.join(sorted(map(str, members)))})")


JudgeAssignment = JudgeName | Panel
"""The judge of a factor, or the panel of several."""


def members_of(assignment: JudgeAssignment) -> tuple[JudgeName, ...]:
    """All judges on a route."""
    return assignment.members if isinstance(assignment, Panel) else (assignment,)


def name_of(assignment: JudgeAssignment) -> JudgeName:
    """The name under which a route's verdict is given."""
    return assignment.name if isinstance(assignment, Panel) else assignment


def combine_panel(panel: Panel, verdicts: Sequence[Verdict], scale: Scale) -> Verdict:
    """Combine the verdicts of a panel's members, in their order, into one.

    Members that failed are left out, and flagged. Of the others, it is scored where at least half gave a score. `samples`
    holds the members' scores, `confidence` how near they are to one another."""
    scored = [one for one in verdicts if isinstance(one, Scored)]
    gaps = [one for one in verdicts if isinstance(one, NotAssessable)]
    if len(gaps) > len(scored):
        return _unassessable(panel, verdicts, gaps)
    return _scored(panel, verdicts, scored, scale) if scored else _failed(panel, verdicts)


def _scored(panel: Panel, verdicts: Sequence[Verdict], scored: Sequence[Scored], scale: Scale) -> Scored:
    scores = tuple(one.score for one in scored)
    score = panel.aggregate.of(scores)
    nearest = min(scored, key=lambda one: abs(one.score - score))
    each = ", ".join(f"{one.judge} {one.score:.3g}" for one in scored)
    rationale = f"The {panel.aggregate.value} of {len(scored)} judges: {each}. {nearest.judge} says: {nearest.rationale}"
    return Scored(
        **_common(panel, verdicts, scored),
        samples=Samples(len(verdicts), scores),
        score=score,
        level=nearest_level(score),
        rationale=rationale if len(scored) > 1 else nearest.rationale,
        faults=_faults(scored),
        evidence=nearest.evidence,
        turns=nearest.turns,
        confidence=scale.agreement(scores) if len(scored) > 1 else nearest.confidence,
    )


def _faults(scored: Sequence[Scored]) -> tuple[DetectedFault, ...]:
    """Return the faults of the members that look for some, costliest first: the probability is the mean over them, and
    members that do not report a fault count as 0. A fault is certain where one of them proves it."""
    looking = [one for one in scored if one.method in LISTING]
    found: dict[tuple[str, int | None, tuple[str, ...]], list[DetectedFault]] = {}
    for verdict in looking:
        for fault in verdict.faults:
            place = fault.quotes if fault.fault in SUMMED else ()
            found.setdefault((fault.fault, fault.message, place), []).append(fault)
    merged = [_merged(same, len(looking)) for same in found.values()]
    factor, catalogue = scored[0].factor, load_faults()
    known = [one for one in merged if is_reported(one) and one.fault in catalogue]
    return tuple(sorted(known, key=lambda one: -expected_cost(one, factor, catalogue)))


def _merged(same: Sequence[DetectedFault], members: int) -> DetectedFault:
    """Return one fault as several members report it; the first that proves it is quoted."""
    first = next((one for one in same if one.certain), same[0])
    probability = 1.0 if first.certain else sum(one.probability for one in same) / members
    return replace(first, probability=min(1.0, probability))


def _unassessable(panel: Panel, verdicts: Sequence[Verdict], gaps: Sequence[NotAssessable]) -> NotAssessable:
    return NotAssessable(
        **_common(panel, verdicts, ()),
        samples=Samples(len(verdicts)),
        code=gaps[0].code,
        detail=f"{len(gaps)} of {len(verdicts)} judges cannot assess it. {gaps[0].judge}: {gaps[0].detail}",
        missing=tuple(dict.fromkeys(name for gap in gaps for name in gap.missing)),
    )


def _failed(panel: Panel, verdicts: Sequence[Verdict]) -> Failed:
    failures = [one for one in verdicts if isinstance(one, Failed)]
    code, _ = Counter(one.code for one in failures).most_common(1)[0]
    each = "; ".join(f"{one.judge}: {one.detail}" for one in failures)
    return Failed(
        **_common(panel, verdicts, ()),
        samples=Samples(len(verdicts)),
        code=code,
        detail=f"no judge of the panel gave a score. {each}",
    )


def _common(panel: Panel, verdicts: Sequence[Verdict], counted: Sequence[Verdict]) -> dict[str, Any]:
    methods = {one.method for one in verdicts if one.method is not None}
    from_models = [one for one in verdicts if one.prompt_hash is not None]
    return {
        "factor": verdicts[0].factor,
        "judge": panel.of(one.judge for one in counted or verdicts),
        "evaluator_revision": _revision(panel, verdicts),
        "flags": tuple(_flags(verdicts, counted)),
        "cached": bool(from_models) and all(one.cached for one in from_models),
        "usage": sum((one.usage for one in verdicts), NO_USAGE),
        "method": methods.pop() if len(methods) == 1 else None,
        "panel": tuple(verdicts),
    }


def _flags(verdicts: Sequence[Verdict], counted: Sequence[Verdict]) -> Iterable[Flag]:
    """Yield the flags of members whose scores count, each once, and a flag for each member without a score."""
    own: dict[tuple[str, int | None], Flag] = {}
    for flag in (flag for one in counted for flag in one.flags):
        own.setdefault((flag.code, flag.message), flag)
    yield from own.values()
    for one in verdicts if counted else ():
        if isinstance(one, Failed):
            yield Flag("panel_member_failed", f"{one.judge} gave no verdict ({one.code}): {one.detail}")
        elif isinstance(one, NotAssessable):
            yield Flag("panel_member_left_out", f"{one.judge} cannot assess it ({one.code}): {one.detail}")


def _revision(panel: Panel, verdicts: Sequence[Verdict]) -> str:
    parts = [REVISION, panel.aggregate.value, sorted(one.evaluator_revision for one in verdicts)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


JudgeOf = Callable[[JudgeName], Judge]


async def score(
    evaluation: EvaluationRequest, assignments: Mapping[str, JudgeAssignment], judge_of: JudgeOf, call: Call
) -> AsyncGenerator[Verdict, None]:
    """Ask the judge or panel that `assignments` (slug to route) names for each factor of `evaluation`, all at
    once. Yield each verdict as it is ready. Leaving the iterator cancels running calls."""
    queue: asyncio.Queue[tuple[JudgeName, Verdict] | None] = asyncio.Queue()

    async def ask(name: JudgeName, factors: Sequence[Factor]) -> None:
        async for verdict in judge_of(name).ask(replace(evaluation, factors=tuple(factors)), call):
            queue.put_nowait((name, verdict))

    async def ask_all() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for name, factors in _by_judge(evaluation.factors, assignments).items():
                    group.create_task(ask(name, factors))
        finally:
            queue.put_nowait(None)

    panels = _Panels(evaluation.factors, assignments)
    task = asyncio.create_task(ask_all())
    try:
        while (answer := await queue.get()) is not None:
            if (verdict := panels.add(*answer)) is not None:
                yield verdict
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class _Panels:
    """Verdicts of panel members, kept until the last member has answered."""

    def __init__(self, factors: Sequence[Factor], assignments: Mapping[str, JudgeAssignment]) -> None:
        self._scales = {factor.slug: factor.scale for factor in factors}
        self._assignments = assignments
        self._verdicts: dict[str, dict[JudgeName, Verdict]] = {}

    def add(self, name: JudgeName, verdict: Verdict) -> Verdict | None:
        """Add a judge's verdict. Returns the verdict on its factor, None while members of its panel have not answered."""
        assignment = self._assignments[verdict.factor]
        if not isinstance(assignment, Panel):
            return verdict
        by_judge = self._verdicts.setdefault(verdict.factor, {})
        by_judge[name] = verdict
        if len(by_judge) < len(assignment.members):
            return None
        return combine_panel(
            assignment, [by_judge[one] for one in assignment.members], self._scales[verdict.factor]
        )


def _by_judge(
    factors: Sequence[Factor], assignments: Mapping[str, JudgeAssignment]
) -> dict[JudgeName, list[Factor]]:
    groups: dict[JudgeName, list[Factor]] = {}
    for factor in factors:
        for name in members_of(assignments[factor.slug]):
            groups.setdefault(name, []).append(factor)
    return groups


def in_order(verdicts: Sequence[Verdict], factors: Sequence[Factor]) -> list[Verdict]:
    """The verdicts in the order their factors were asked."""
    place = {factor.slug: index for index, factor in enumerate(factors)}
    return sorted(verdicts, key=lambda verdict: place[verdict.factor])


def comparison_key(verdicts: Sequence[Verdict], settings: Mapping[str, str | int | None]) -> str:
    """16 hex digits over all that decides a score beside the log: each factor's evaluator revision,
    its judge with the model that the provider reported, and how it was asked (`settings`)."""
    asked = sorted((v.factor, v.evaluator_revision, str(v.judge)) for v in verdicts)
    canonical = json.dumps([asked, sorted(settings.items()), overall_revision()], separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
