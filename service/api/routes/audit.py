"""`POST /simulate/audit`."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...usecases.audit import audit
from ...usecases.wire.audit import AuditAnswer, AuditRequest
from ..answers import json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted

router = APIRouter(tags=["simulate"])


@router.post(
    "/simulate/audit",
    summary="Audit simulated users",
    **posted(AuditRequest, AuditAnswer, 502, 504),
)
async def audit_users(request: Request, deployment: CurrentDeployment) -> Response:
    """Audits logs of simulated users. Counts how often they name the item that they want, repeat themselves, and say their
    wishes in the catalogue's words. Counts how often they accept what was not granted. Measures how much their acts differ from those of people.
    Measures whether a discriminator tells them from people, and how much less they accept from a worse recommender.
    Of `choices`, counts how often a taste prefers the item that its user rated higher."""
    body = await read(request, AuditRequest, deployment.limits)
    return json_response(await unless_gone(request.receive, audit(body, deployment)))
