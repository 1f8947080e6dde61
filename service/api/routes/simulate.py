"""`POST /simulate` and `POST /simulate/profile`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...domain import completion
from ...domain import verdict as domain
from ...domain.conversation import UNKNOWN_DOMAIN
from ...errors import InvalidRequest
from ...simulators import session
from ...simulators.kinds import paraphrase
from ...simulators.machine import Simulator
from ...simulators.profile import build_profile
from ...simulators.recommender import Reply
from ...simulators.step import Step
from ..answers import json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment, Deployment
from ..openapi_parts import posted
from ..plans.scoring import ScoringPlan, checked_log, named_catalogue
from ..plans.simulation import (
    check_fields,
    check_scoring,
    model_of,
    plan_session_scoring,
    player_of,
    policy_of,
    recommender_of,
    speaker_of,
)
from ..streams import EventStream, ServerSentEvent, wants_stream
from ..wire import metrics
from ..wire.score import Notice, ScoreAnswer
from ..wire.simulate import (
    ProfileAnswer,
    ProfileRequest,
    SaidMessage,
    SessionLog,
    SimulateAnswer,
    SimulateRequest,
    WordedReply,
    wire_message,
)
from ..wire.verdict import JudgeRef, Verdict
from .score import score_answer

router = APIRouter(tags=["simulate"])
Steps = AsyncGenerator[session.SessionTurn | session.Ended, None]


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
    _check(body, deployment)
    if body.simulator.kind.build is None:
        return json_response(await unless_gone(request.receive, _reworded(body, deployment)))
    if body.crs is None:
        next_step = Simulator(policy_of(body, deployment)).step(body.log.value(), deployment.call(body.cache))
        return json_response(_answer(await unless_gone(request.receive, next_step), body, deployment))
    call = deployment.call(body.cache)
    recommender = recommender_of(body.crs, body.log.id, deployment)
    log = body.log.value()
    log = replace(log, system=log.system or body.crs, complete=False)
    simulator = Simulator(policy_of(body, deployment))
    steps = session.converse(simulator, recommender, log, call, limits=deployment.reply_limits)
    if wants_stream(request):
        return EventStream(_events(steps, body, call, deployment))
    return json_response(await unless_gone(request.receive, _session(steps, body, call, deployment)))


@router.post(
    "/simulate/profile",
    summary="Make a user's profile from reviews",
    **posted(ProfileRequest, ProfileAnswer, 502, 504),
)
async def make_profile(request: Request, deployment: CurrentDeployment) -> Response:
    """Likes and dislikes of each review, then one narrative of the user's taste, for the
    `target-free` simulator. Held-out reviews reach no prompt: they become the targets."""
    body = await read(request, ProfileRequest, deployment.limits)
    asker = model_of(body.judge, deployment, pointer="/judge")
    known = named_catalogue(body.catalog, deployment)
    work = build_profile(
        body.reviews, body.domain or UNKNOWN_DOMAIN, asker, deployment.call(body.cache), known
    )
    made = await unless_gone(request.receive, work)
    judge = JudgeRef.of(asker.name, model=made.model or asker.name.model)
    return json_response(ProfileAnswer.of(made, judge=judge))


def _check(body: SimulateRequest, deployment: Deployment) -> None:
    """Raises InvalidRequest for what cannot be asked for together, or is too long."""
    check_fields(body.simulator)
    checked_log(body.log, deployment)
    if body.score is not None and (body.crs is None or body.simulator.kind.build is None):
        fix = "name a `crs` and a simulated user, or post the log to /score"
        raise InvalidRequest.at("/score", "only whole sessions are judged here", fix)
    check_scoring(body, deployment)


async def _session(
    steps: Steps, body: SimulateRequest, call: completion.Call, deployment: Deployment
) -> SimulateAnswer:
    ended = await session.finish(steps)
    scoring = _judging(body, call, ended, deployment)
    verdicts = [verdict async for verdict in scoring.verdicts()] if scoring else []
    return _ended(body, ended, scoring, verdicts, deployment)


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
    scoring = _judging(body, call, ended, deployment)
    verdicts: list[domain.Verdict] = []
    if scoring:
        async with aclosing(scoring.verdicts()) as judged:
            async for verdict in judged:
                verdicts.append(verdict)
                scale = scoring.factors[verdict.factor].scale
                yield ServerSentEvent("verdict", Verdict.on_scale(verdict, scale))
    yield ServerSentEvent("done", _ended(body, ended, scoring, verdicts, deployment))


def _judging(
    body: SimulateRequest, call: completion.Call, ended: session.Ended, deployment: Deployment
) -> ScoringPlan | None:
    """The evaluation request about a session; None where none is wanted, or nothing was said to judge."""
    if body.score is None or not ended.log.replies:
        return None
    scoring = plan_session_scoring(body, SessionLog.of(ended.log).to_log(), deployment)
    return replace(scoring, call=replace(scoring.call, deadline=call.deadline))


def _ended(
    body: SimulateRequest,
    ended: session.Ended,
    scoring: ScoringPlan | None,
    verdicts: list[domain.Verdict],
    deployment: Deployment,
) -> SimulateAnswer:
    judged: ScoreAnswer | None = score_answer(verdicts, scoring) if scoring else None
    missing = Notice(code="nothing_to_judge", detail="the recommender never replied, so nothing was judged")
    warnings = judged.warnings if judged else [missing] if body.score else []
    return _answer(
        ended.last or Step(message=None),
        body,
        deployment,
        done=True,
        outcome=ended.reason,
        detail=ended.detail,
        removed=ended.removed,
        flags=ended.flags,
        usage=ended.usage + sum((verdict.usage for verdict in verdicts), completion.NO_USAGE),
        log=SessionLog.of(ended.log),
        verdicts=judged.verdicts if judged else None,
        summaries=judged.summaries if judged else None,
        comparison_key=judged.comparison_key if judged else None,
        warnings=[*_notices(body, deployment), *warnings],
    )


def _answer(step: Step, body: SimulateRequest, deployment: Deployment, **others: Any) -> SimulateAnswer:
    """The answer of a step. `others` are the fields that it lacks or has in another form; all other ones are null."""
    none = dict.fromkeys(name for name in SimulateAnswer.model_fields if not hasattr(step, name))
    name = speaker_of(
        body.simulator, deployment
    )  # as the caller or operator gave it, unless its provider names the model
    judge = JudgeRef.of(name, model=step.model or name.model) if name else None
    known = {"judge": judge, "warnings": _notices(body, deployment)}
    return SimulateAnswer.of(step, **none | known | others)


def _notices(body: SimulateRequest, deployment: Deployment) -> list[Notice]:
    """Return what to know of a seed or a temperature that the model does not take."""
    name = speaker_of(body.simulator, deployment)
    if name is None:
        return []
    takes, found = deployment.registry.capability(name), []
    if body.simulator.seed is not None and not takes.seed:
        detail = (
            f"{name} takes no seed: another seed asks it again, and the same seed gives the same user "
            "only while the cache keeps the answers"
        )
        found.append(Notice(code="seed_not_taken", detail=detail))
    if body.simulator.temperature is not None and not takes.temperature:
        detail = f"{name} takes no temperature: it answers at its provider's own"
        found.append(Notice(code="temperature_not_taken", detail=detail))
    return found


async def _reworded(body: SimulateRequest, deployment: Deployment) -> SimulateAnswer:
    """Wordings of the last user message and, with a recommender, its replies to each."""
    asked = body.simulator
    by_rules = speaker_of(asked, deployment) is None
    log, call = body.log.value(), deployment.call(body.cache)
    recommender = recommender_of(body.crs, body.log.id, deployment) if body.crs else None
    found = await paraphrase.reword(
        log,
        asked.settings.get("count", paraphrase.WORDINGS),
        call,
        asker=None if by_rules else player_of(asked, deployment),
        catalogue=named_catalogue(body.catalog, deployment),
        seed=asked.seed or 0,
        temperature=asked.temperature,
    )
    texts = [found.message, *(wording.text for wording in found.wordings)]
    replies = (
        await paraphrase.ask_each(recommender, log, texts, call, deployment.reply_limits)
        if recommender
        else None
    )
    step = Step(message=None, flags=found.flags, usage=found.usage, model=found.model)
    wishes = list(log.user.attributes) if log.user else []
    pairs = answered = None
    if replies is not None:
        pairs = [
            metrics.ReplyPair(
                first=_reply(first.reply), second=_reply(second.reply), attributes=wishes or None
            )
            for first, second in paraphrase.pairs(replies)
        ]
        answered = [WordedReply.of(one) for one in replies]
    return _answer(step, body, deployment, paraphrases=found.wordings, replies=answered, reply_pairs=pairs)


def _reply(reply: Reply | None) -> metrics.Reply:
    assert reply is not None, "pairs contain only wordings that got a reply"
    return metrics.Reply.of(reply)
