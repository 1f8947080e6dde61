"""`POST /simulate/audit`."""

import asyncio
from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...catalogue.catalogue import Catalogue
from ...domain.completion import NO_USAGE
from ...domain.conversation import UNKNOWN_DOMAIN, ConversationLog
from ...simulators.asker import Asker
from ...simulators.audit import Audit, audit_acceptances, audit_choices
from ...simulators.conduct import acts, divergence, traits
from ..answers import json_response
from ..body import read, unless_gone
from ..openapi_parts import posted
from ..plans.scoring import checked_log, named_catalogue
from ..plans.simulation import model_of
from ..services import Here, Services
from ..wire.audit import AuditAnswer, AuditFinding, AuditRequest
from ..wire.verdict import JudgeRef, Usage

router = APIRouter(tags=["simulate"])


@router.post(
    "/simulate/audit",
    summary="Audit simulated users",
    **posted(AuditRequest, AuditAnswer, 502, 504),
)
async def audit_users(request: Request, here: Here) -> Response:
    """Audits logs of simulated users. Counts how often they name the item that they want, repeat themselves, and say their
    wishes in the catalogue's words. Counts how often they accept what was not granted. Measures how much their acts differ from those of people.
    Of `choices`, counts how often a taste prefers the item that its user rated higher."""
    body = await read(request, AuditRequest, here.limits)
    catalogue = named_catalogue(body.catalog, here)
    logs, people = (
        [checked_log(log, here).value() for log in given or ()] for given in (body.logs, body.people)
    )
    asker = model_of(body.judge, here, pointer="/judge") if body.choices else None
    work = _audit(body, logs, people, here, catalogue=catalogue, asker=asker)
    return json_response(await unless_gone(request.receive, work))


async def _audit(
    body: AuditRequest,
    logs: Sequence[ConversationLog],
    people: Sequence[ConversationLog],
    here: Services,
    *,
    catalogue: Catalogue | None,
    asker: Asker | None,
) -> AuditAnswer:
    findings, usage = [], NO_USAGE
    if logs:
        findings = await asyncio.to_thread(_conduct, logs, people, catalogue)
    if body.choices and asker:
        cases = [choice.value() for choice in body.choices]
        chosen = await audit_choices(cases, body.domain or UNKNOWN_DOMAIN, asker, here.call(body.cache))
        findings.append(_finding(chosen))
        usage = chosen.usage
    return AuditAnswer(
        findings=findings,
        acts=acts(logs),
        acts_of_people=acts(people) if people else None,
        judge=JudgeRef.of(asker.name) if asker else None,
        usage=Usage.of(usage),
    )


def _conduct(
    logs: Sequence[ConversationLog], people: Sequence[ConversationLog], catalogue: Catalogue | None
) -> list[AuditFinding]:
    theirs = {trait.name: trait.value for trait in traits(people, catalogue)} if people else {}
    found = [
        AuditFinding(
            audit=trait.name, value=trait.value, n=trait.n, people=theirs.get(trait.name), published=None
        )
        for trait in traits(logs, catalogue)
    ]
    found.append(_finding(audit_acceptances(logs, catalogue)))
    if people:
        apart = divergence(acts(logs), acts(people))
        messages = sum(trait.n for trait in traits(logs, catalogue) if trait.name == "words_a_message")
        found.append(
            AuditFinding(audit="acts_unlike_people", value=apart, n=messages, people=None, published=None)
        )
    return found


def _finding(audit: Audit) -> AuditFinding:
    return AuditFinding(
        audit=audit.name, value=audit.share, n=audit.counted, people=None, published=audit.published
    )
