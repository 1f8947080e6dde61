"""Audits of simulated users."""

import asyncio
from collections.abc import Sequence

from ..catalogue.catalogue import Catalogue
from ..domain.completion import NO_USAGE
from ..domain.conversation import UNKNOWN_DOMAIN, ConversationLog
from ..simulators.audit import PUBLISHED, audit_acceptances, audit_choices
from ..simulators.conduct import acts, divergence, human_likeness, traits
from .deployment import Deployment
from .plans.scoring import checked_log, named_catalogue
from .simulate import model_of
from .wire.audit import AuditAnswer, AuditFinding, AuditRequest
from .wire.verdict import JudgeRef


async def audit(body: AuditRequest, deployment: Deployment) -> AuditAnswer:
    """Audit simulated users. Raises CrsEvalError where the model that chooses could not be reached."""
    catalogue = named_catalogue(body.catalog, deployment)
    logs, people, worse = (
        [checked_log(log, deployment).value() for log in given or ()]
        for given in (body.logs, body.people, body.worse)
    )
    asker = model_of(body.judge, deployment, pointer="/judge") if body.choices else None
    findings, usage = [], NO_USAGE
    if logs:
        findings = await asyncio.to_thread(_conduct, logs, people, worse, catalogue)
    if body.choices and asker:
        cases = [choice.value() for choice in body.choices]
        chosen, usage = await audit_choices(
            cases, body.domain or UNKNOWN_DOMAIN, asker, deployment.call(body.cache)
        )
        findings.append(_finding(chosen.name, chosen.value, chosen.n))
    return AuditAnswer(
        findings=findings,
        acts=acts(logs),
        acts_of_people=acts(people) if people else None,
        judge=JudgeRef.of(asker.name) if asker else None,
        usage=usage,
    )


def _conduct(
    logs: Sequence[ConversationLog],
    people: Sequence[ConversationLog],
    worse: Sequence[ConversationLog],
    catalogue: Catalogue | None,
) -> list[AuditFinding]:
    own, theirs, there = (
        {one.name: one for one in (*traits(given, catalogue), audit_acceptances(given, catalogue))}
        for given in (logs, people, worse)
    )
    found = [
        _finding(name, one.value, one.n, people=theirs[name].value, worse=there[name].value)
        for name, one in own.items()
    ]
    if people:
        apart = divergence(acts(logs), acts(people))
        found.append(_finding("acts_unlike_people", apart, own["words_a_message"].n))
        found.append(_finding("human_likeness", human_likeness(logs, people), len(logs), people=0.5))
    if worse:
        sound, with_faults = own["accepts"], there["accepts"]
        lost = None if sound.value is None or with_faults.value is None else sound.value - with_faults.value
        found.append(_finding("notices_faults", lost, sound.n + with_faults.n))
    return found


def _finding(
    audit: str, value: float | None, n: int, people: float | None = None, worse: float | None = None
) -> AuditFinding:
    return AuditFinding(
        audit=audit, value=value, n=n, people=people, worse=worse, published=PUBLISHED.get(audit)
    )
