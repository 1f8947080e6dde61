"""The embedded debater: no language model, the same answer every time, every step by a stated rule.

1. A verdict counts by the share of its scale that it reached; where it scores single replies as well, that share counts a quarter
and the mean of theirs three. They move it hardly further than the nearer end of the scale lies away: best stays near best. A
count of misses says little of a short session, the replies' own points say more. Where a role's bar is raised in the log's
domain, the share counts by a power.
2. A role's evidence is the sum of the weights that it gives its scored verdicts. A role may know what is usual for a factor that
cannot be scored. That counts in its stead, if the role has another score to speak from: a session must not gain by leaving the
hardest question open. A full score because an occasion is missing (nobody complained) counts like any other: the protocol takes silence
for satisfaction, and on logs rated by people counting it for less agreed with them less.
3. In round 1 a role's score is the weighted mean of its own verdicts, times 100. A role without a
   scored verdict of its own speaks from all others, and carries no weight.
4. In every later round it moves part of the way towards the mean of the statements of the round before. Each statement is
weighted by the evidence behind it: a role that speaks from one verdict must not outweigh one that speaks from three.

Weights never depend on scores and every step is monotone, and where all agree nobody moves: hence
raising any verdict never lowers the overall (a property test holds this).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean

from ..domain.completion import Call
from ..domain.verdict import JudgeName, Scored
from .roles import DebateRole
from .statement import BEST, Finding, Floor, Matter, Speech, SpeechFailed, Statement

NAME = JudgeName("builtin")
REVISION = 5
"""Raised with every change to what the embedded debater answers."""

YIELDS = 0.5
"""The part of the way to the common view that a role moves in a round."""

TURNS = 0.75
"""The weight of the mean of single replies' scores beside the verdict's own."""

ENDS = 0.1
"""The distance by which they can move a verdict beyond that to the nearer end of its scale."""

PRAISED, BLAMED = 0.75, 0.5
"""From which share of its scale a verdict speaks for the system, and below which against it."""


@dataclass(frozen=True, slots=True)
class _Point:
    """One verdict as the role weighs it."""

    finding: Finding
    value: float
    weight: float
    #: True where the value is the verdict's own, False where the usual value stands in for it.
    known: bool = True

    @property
    def label(self) -> str:
        verdict, scale = self.finding.verdict, self.finding.factor.scale
        score = f"{round(verdict.score, 2):g}" if isinstance(verdict, Scored) else "none"
        return f"{self.finding.factor.name.lower()} ({score} on {scale.min}-{scale.max})"


class EmbeddedDebater:
    """Speaks for any role by the rules above. Needs one scored verdict of any role."""

    name = NAME
    revision = hashlib.sha256(f"{REVISION}/{YIELDS}/{TURNS}/{ENDS}/{PRAISED}/{BLAMED}".encode()).hexdigest()[
        :12
    ]

    async def speak(self, floor: Floor, call: Call) -> Speech:  # noqa: ARG002 - nothing here takes time
        """State the role's view and score; a `SpeechFailed` where no verdict has a score at all."""
        own = _points(floor.role, floor.matter)
        points = own or _foreign(floor.role, floor.matter)
        if not points:
            return SpeechFailed(
                role=floor.role.slug,
                judge=NAME,
                code="no_verdicts",
                detail="No verdict has a score, and the embedded debater reads nothing else.",
            )
        if floor.buffer and (common := _common(floor)) is not None:
            before = floor.said.score if floor.said else _score(points)
            score = round(before + YIELDS * (common - before))
            text = _reply(floor, before, score, common)
        else:
            score = _score(points)
            text = _opening(floor, points, score, speaks_for_others=not own)
        return Statement(role=floor.role.slug, judge=NAME, score=score, statement=text)


def _points(role: DebateRole, matter: Matter) -> list[_Point]:
    return _weighed(matter.of_role(role), role, matter)


def _foreign(role: DebateRole, matter: Matter) -> list[_Point]:
    return [point for point in _weighed(tuple(matter.findings.values()), role, matter) if point.known]


def _weighed(findings: Sequence[Finding], role: DebateRole, matter: Matter) -> list[_Point]:
    domain = matter.case.log.domain
    known = [
        _Point(f, value ** role.bar(f.factor.slug, domain), role.weight(f.factor.slug))
        for f in findings
        if (value := _value(f)) is not None
    ]
    usual = [
        _Point(f, role.usual[f.factor.slug], role.weight(f.factor.slug), known=False)
        for f in findings
        if f.share is None and f.factor.slug in role.usual
    ]
    return [*known, *usual] if known else []


def _value(finding: Finding) -> float | None:
    """Return what a verdict's score is worth, 0-1, its single replies considered; None where there is no
    score."""
    share, verdict = finding.share, finding.verdict
    if share is None or not isinstance(verdict, Scored) or not verdict.turns:
        return share
    scale = finding.factor.scale
    mean = (fmean(turn.score for turn in verdict.turns) - scale.min) / (scale.max - scale.min)
    drawn = TURNS * (min(1.0, max(0.0, mean)) - share)
    most = ENDS + min(share, 1 - share)
    return share + min(most, max(-most, drawn))


def _score(points: Sequence[_Point]) -> int:
    return round(BEST * fsum(p.value * p.weight for p in points) / fsum(p.weight for p in points))


def _common(floor: Floor) -> float | None:
    """The mean of the last statements of the round before, weighted by evidence; None where the
    round heard nobody."""
    scores = floor.buffer[-1].scores
    if not scores:
        return None
    evidence = {r.slug: fsum(p.weight for p in _points(r, floor.matter)) for r in floor.roles}
    if not any(evidence[slug] for slug in scores):
        evidence = dict.fromkeys(scores, 1.0)
    return fsum(evidence[slug] * s for slug, s in scores.items()) / fsum(evidence[slug] for slug in scores)


def _opening(floor: Floor, points: Sequence[_Point], score: int, *, speaks_for_others: bool) -> str:
    if speaks_for_others:
        basis = (
            "None of the factors that I answer for has a score, so I use the mean of the other "
            f"{len(points)}, and nobody should give my number weight of its own."
        )
    else:
        basis = " ".join(_reasons(floor.role, points, floor.matter.case.log.domain))
    return f"As the {floor.role.title} I give {score} of {BEST}. {basis} {_HOW}"


_HOW = "No language model spoke here: this is weighed from the verdicts by fixed rules."


def _reasons(role: DebateRole, points: Sequence[_Point], domain: str) -> list[str]:
    """Return what drove the score, for, against, in between, and what is missing."""
    ordered = sorted((p for p in points if p.known), key=lambda p: (-p.value, p.finding.factor.slug))
    parts = [
        ("For the system", [p for p in ordered if p.value >= PRAISED]),
        ("In between", [p for p in ordered if BLAMED <= p.value < PRAISED]),
        ("Against it", [p for p in reversed(ordered) if p.value < BLAMED]),
    ]
    said = [f"{lead}: {', '.join(p.label for p in some)}." for lead, some in parts if some]
    if strict := [
        p.finding.factor.name.lower() for p in ordered if role.bar(p.finding.factor.slug, domain) > 1
    ]:
        said.append(f"The bar for {' and '.join(strict)} is higher in this domain.")
    if heavy := [p.finding.factor.name.lower() for p in ordered if p.weight > 1]:
        said.append(f"With me {' and '.join(heavy)} {'counts' if len(heavy) == 1 else 'count'} for more.")
    if any(isinstance(p.finding.verdict, Scored) and p.finding.verdict.turns for p in ordered):
        said.append("Where single replies have scores of their own, I considered these too.")
    said += [
        f"{p.finding.factor.name} cannot be told here, and counts as it usually does, {p.value:.0%}."
        for p in points
        if not p.known
    ]
    if unscored := len(role.factors) - len(ordered):
        said.append(f"{unscored} of my {len(role.factors)} factors {_has(unscored)} no score.")
    return said


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _reply(floor: Floor, before: int, score: int, common: float) -> str:
    titles = {role.slug: role.title for role in floor.roles}
    scores = {slug: s for slug, s in floor.buffer[-1].scores.items() if slug != floor.role.slug}
    if score == before:
        held = f"{common:.0f}, weighed by the evidence behind each statement"
        return f"I stay at {score}: the round before comes to {held}. {_HOW}"
    lower = score < before
    pull = sorted((s, slug) for slug, s in scores.items() if (s < before) is lower and s != before)
    strongest = pull[0] if lower else pull[-1]
    return (
        f"I move from {before} to {score}. The {titles[strongest[1]]} argues for {strongest[0]}, and weighed "
        f"by the evidence behind each statement the round before comes to {common:.0f}; I go part of the "
        f"way. {_HOW}"
    )
