"""The embedded debater: no language model, the same answer every time.

All roles state their view once. A role's score is the log's fitted overall score, plus the mean of its own
factors, less the mean over all roles: the mean of the round is the overall score. Roles differ by their
factors and never persuade each other: beside models, the embedded role keeps its score. This is not CoRE's
debate."""

import hashlib
from collections.abc import Mapping, Sequence
from statistics import fmean

from ..domain.completion import Call
from ..domain.rubric import Protocol
from ..domain.verdict import JudgeName, Scored
from ..faults import load_faults
from ..judges.fault_report import fault_sentences
from ..scoring.overall import TOP, overall_of, overall_revision
from .roles import DebateRole
from .statement import BEST, WORST, DebateSubject, Finding, SpeakerContext, Speech, SpeechFailed, Statement

NAME = JudgeName("builtin")
REVISION = 7
"""Raised with every change to what the embedded debater answers."""
GOOD = 0.75
"""Share of its scale from which a score speaks for the recommender."""


class EmbeddedDebater:
    """Speaks for any role by its verdicts. Needs one scored verdict of any role."""

    name = NAME
    revision = hashlib.sha256(f"{REVISION}/{GOOD}/{overall_revision()}".encode()).hexdigest()[:12]

    async def speak(self, context: SpeakerContext, call: Call) -> Speech:  # noqa: ARG002 - nothing here takes time
        """State the role's view and score; a `SpeechFailed` where no verdict has a score at all."""
        scores = role_scores(context.roles, context.subject)
        if not scores:
            detail = "No verdict has a score, and the embedded debater reads nothing else."
            return SpeechFailed(role=context.role.slug, judge=NAME, code="no_verdicts", detail=detail)
        score = scores[context.role.slug]
        text = (
            f"I keep my score of {score}." if context.said else _opening(context.role, context.subject, score)
        )
        return Statement(role=context.role.slug, judge=NAME, score=score, statement=text)


def role_scores(roles: Sequence[DebateRole], subject: DebateSubject) -> Mapping[str, int]:
    """Return each role's score, 0-100, by its slug; empty where no verdict has a score. Their mean is the overall score, but
    for rounding: roles lie as far from it as their means do, or closer where the scale ends."""
    shares = {
        slug: share for slug, finding in subject.findings.items() if (share := finding.share) is not None
    }
    if not shares:
        return {}
    own = {role.slug: [shares[slug] for slug in role.factors if slug in shares] for role in roles}
    means = {slug: fmean(values) for slug, values in own.items() if values}
    common = fmean(means.values()) if means else 0.0
    overall = _overall(subject)
    apart = {role.slug: means.get(role.slug, common) - common for role in roles}
    room = [(1 - overall if far > 0 else overall) / abs(far) for far in apart.values() if far]
    spread = min([1.0, *room])
    rounded: dict[str, int] = {}
    remainder = 0.0
    for slug, far in apart.items():
        value = BEST * (overall + spread * far)
        rounded[slug] = min(BEST, max(WORST, round(value + remainder)))
        remainder += value - rounded[slug]
    return rounded


def _overall(subject: DebateSubject) -> float:
    """Return the fitted overall score as a share of its scale, else the mean of all scores."""
    verdicts = [f.verdict for f in subject.findings.values() if f.factor.protocol is Protocol.CORE]
    fitted = overall_of(verdicts)
    if fitted is not None:
        return fitted / TOP
    return fmean([share for finding in subject.findings.values() if (share := finding.share) is not None])


def _opening(role: DebateRole, subject: DebateSubject, score: int) -> str:
    scored = [
        one
        for slug in role.factors
        if (one := subject.findings.get(slug)) is not None and one.share is not None
    ]
    if not scored:
        return f"As the {role.title} I give {score} of {BEST}: none of my factors has a score, so I take the overall score."
    parts = [f"As the {role.title} I give {score} of {BEST}."]
    faults = {(one.message, one.fault): one for each in scored for one in each.verdict.faults}
    if faults:
        parts.append(
            f"Against it: {fault_sentences(subject.judge_input.log, list(faults.values()), load_faults())}"
        )
    good = [one for one in scored if (one.share or 0) >= GOOD]
    if good:
        parts.append(f"For it: {', '.join(map(_label, good))}.")
    low = [one for one in scored if (one.share or 0) < GOOD]
    if low:
        parts.append(f"Lower: {', '.join(map(_label, low))}.")
    return " ".join(parts)


def _label(finding: Finding) -> str:
    verdict, scale = finding.verdict, finding.factor.scale
    score = f"{round(verdict.score, 2):g}" if isinstance(verdict, Scored) else "none"
    return f"{finding.factor.name.lower()} {score} of {scale.max}"
