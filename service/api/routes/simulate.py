"""`POST /simulate`, `POST /simulate/profile` and `POST /simulate/audit`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...domain import completion
from ...domain import verdict as domain
from ...simulators import session
from ...simulators.step import Step
from ...usecases.audit import audit
from ...usecases.deployment import Deployment
from ...usecases.simulate import Steps, check, ended_answer, judging, profile_of, session_of, simulate
from ...usecases.wire.audit import AuditAnswer, AuditRequest
from ...usecases.wire.simulate import (
    ProfileAnswer,
    ProfileRequest,
    SaidMessage,
    SimulateAnswer,
    SimulateRequest,
    wire_message,
)
from ...usecases.wire.verdict import Verdict
from ..answers import json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment
from ..openapi_parts import posted
from ..streams import EventStream, ServerSentEvent, wants_stream

router = APIRouter(tags=["simulate"])


@router.post(
    "/simulate",
    summary="Play a user against a recommender",
    **posted(
        SimulateRequest,
        SimulateAnswer,
        502,
        504,
        events=(
            "With `crs`: `message` for each message as it is said, `verdict` for each verdict of `score`. Then `done` "
            "with the answer, or `error` with the problem."
        ),
    ),
)
async def simulate_user(request: Request, deployment: CurrentDeployment) -> Response:
    """Without `crs`, answers with the next message of the simulated user after `log`, which must not
    end with a user's. With `crs`, runs the session to its end. A recommender that errors, hangs,
    falls silent or floods ends it. The answer then says so and carries the log so far."""
    body = await read(request, SimulateRequest, deployment.limits)
    if body.crs is None or body.simulator.kind.build is None or not wants_stream(request):
        return json_response(await unless_gone(request.receive, simulate(body, deployment)))
    check(body, deployment)
    call = deployment.call(body.cache)
    return EventStream(_events(session_of(body, call, deployment), body, call, deployment))


@router.post(
    "/simulate/profile",
    summary="Make a user's profile from reviews",
    **posted(ProfileRequest, ProfileAnswer, 502, 504),
)
async def make_profile(request: Request, deployment: CurrentDeployment) -> Response:
    """Likes and dislikes of each review, then one narrative of the user's taste, for the
    `target-free` simulator. Held-out reviews reach no prompt: they become the targets."""
    body = await read(request, ProfileRequest, deployment.limits)
    return json_response(await unless_gone(request.receive, profile_of(body, deployment)))


@router.post(
    "/simulate/audit", summary="Audit simulated users", **posted(AuditRequest, AuditAnswer, 502, 504)
)
async def audit_users(request: Request, deployment: CurrentDeployment) -> Response:
    """Audits logs of simulated users. Counts how often they name the item that they want, repeat themselves, and say their
    wishes in the catalogue's words. Counts how often they accept what was not granted. Measures how much their acts differ from those of people.
    Measures whether a discriminator tells them from people, and how much less they accept from a worse recommender.
    Of `choices`, counts how often a taste prefers the item that its user rated higher."""
    body = await read(request, AuditRequest, deployment.limits)
    return json_response(await unless_gone(request.receive, audit(body, deployment)))


async def _events(
    steps: Steps, body: SimulateRequest, call: completion.Call, deployment: Deployment
) -> AsyncGenerator[ServerSentEvent, None]:
    ended: session.Ended | None = None
    async with aclosing(steps) as events:
        async for event in events:
            if isinstance(event, session.Ended):
                ended = event
            else:
                message = wire_message(event.message)
                said = SaidMessage.of(event.step or Step(message=None), index=event.index, message=message)
                yield ServerSentEvent("message", said)
    assert ended is not None
    scoring = judging(body, call, ended, deployment)
    verdicts: list[domain.Verdict] = []
    if scoring:
        async with aclosing(scoring.verdicts()) as judged:
            async for verdict in judged:
                verdicts.append(verdict)
                scale = scoring.factors[verdict.factor].scale
                yield ServerSentEvent("verdict", Verdict.on_scale(verdict, scale))
    yield ServerSentEvent("done", ended_answer(body, ended, scoring, verdicts, deployment))
