"""Sessions of simulated users, and their answers."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from ..domain import completion
from ..domain import verdict as domain
from ..domain.conversation import UNKNOWN_DOMAIN
from ..errors import InvalidRequest
from ..judges.llm.verdicts import other_models
from ..simulators import session
from ..simulators.kinds import paraphrase
from ..simulators.machine import Simulator
from ..simulators.profile import build_profile
from ..simulators.recommender import Reply
from ..simulators.step import Step
from .deployment import Deployment
from .plans.scoring import ScoringPlan, checked_log, named_catalogue
from .plans.simulation import (
    check_fields,
    check_scoring,
    model_of,
    plan_session_scoring,
    player_of,
    policy_of,
    recommender_of,
    speaker_of,
)
from .score import score_answer
from .wire import metrics
from .wire.score import Notice, ScoreAnswer
from .wire.simulate import (
    ProfileAnswer,
    ProfileRequest,
    SessionLog,
    SimulateAnswer,
    SimulateRequest,
    WordedReply,
)
from .wire.verdict import JudgeRef

Steps = AsyncGenerator[session.SessionTurn | session.Ended, None]


async def simulate(body: SimulateRequest, deployment: Deployment) -> SimulateAnswer:
    """Return the next message of a simulated user, a whole session with a recommender, or rewordings. Raises InvalidRequest for
    what cannot be asked for together, CrsEvalError where a model could not be reached."""
    check(body, deployment)
    if body.simulator.kind.build is None:
        return await reworded(body, deployment)
    call = deployment.call(body.cache)
    if body.crs is None:
        step = await Simulator(policy_of(body, deployment)).step(body.log.value(), call)
        return _answer(step, body, deployment)
    return await _session(session_of(body, call, deployment), body, call, deployment)


def session_of(body: SimulateRequest, call: completion.Call, deployment: Deployment) -> Steps:
    """Return the steps of a session with the recommender that the request names."""
    assert body.crs is not None
    recommender = recommender_of(body.crs, body.log.id, deployment)
    log = body.log.value()
    log = replace(log, system=log.system or body.crs, complete=False)
    simulator = Simulator(policy_of(body, deployment))
    return session.converse(simulator, recommender, log, call, limits=deployment.reply_limits)


async def profile_of(body: ProfileRequest, deployment: Deployment) -> ProfileAnswer:
    """Make a user's profile from reviews. Raises CrsEvalError where the model could not be reached."""
    asker = model_of(body.judge, deployment, pointer="/judge")
    known = named_catalogue(body.catalog, deployment)
    domain_name = body.domain or UNKNOWN_DOMAIN
    made = await build_profile(body.reviews, domain_name, asker, deployment.call(body.cache), known)
    judge = JudgeRef.of(asker.name, model=made.model or asker.name.model)
    return ProfileAnswer.of(made, judge=judge)


def check(body: SimulateRequest, deployment: Deployment) -> None:
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
    scoring = judging(body, call, ended, deployment)
    verdicts = [verdict async for verdict in scoring.verdicts()] if scoring else []
    return ended_answer(body, ended, scoring, verdicts, deployment)


def judging(
    body: SimulateRequest, call: completion.Call, ended: session.Ended, deployment: Deployment
) -> ScoringPlan | None:
    """The evaluation request about a session; None where none is wanted, or nothing was said to judge."""
    if body.score is None or not ended.log.replies:
        return None
    scoring = plan_session_scoring(body, SessionLog.of(ended.log).to_log(), deployment)
    return replace(scoring, call=replace(scoring.call, deadline=call.deadline))


def ended_answer(
    body: SimulateRequest,
    ended: session.Ended,
    scoring: ScoringPlan | None,
    verdicts: list[domain.Verdict],
    deployment: Deployment,
) -> SimulateAnswer:
    """The answer of a session that ended, with what its judges said."""
    judged: ScoreAnswer | None = score_answer(verdicts, scoring) if scoring else None
    missing = Notice(code="nothing_to_judge", detail="the recommender never replied, so nothing was judged")
    warnings = judged.warnings if judged else [missing] if body.score else []
    last = ended.last or Step(message=None)
    return _answer(
        last,
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
        warnings=[*_notices(last, body, deployment), *warnings],
    )


def _answer(step: Step, body: SimulateRequest, deployment: Deployment, **others: Any) -> SimulateAnswer:
    """The answer of a step. `others` are the fields that it lacks or has in another form; all other ones are null."""
    none = dict.fromkeys(name for name in SimulateAnswer.model_fields if not hasattr(step, name))
    name = speaker_of(
        body.simulator, deployment
    )  # as the caller or operator gave it, unless its provider names the model
    judge = JudgeRef.of(name, model=step.model or name.model) if name else None
    known = {"judge": judge, "warnings": _notices(step, body, deployment)}
    return SimulateAnswer.of(step, **none | known | others)


def _notices(step: Step, body: SimulateRequest, deployment: Deployment) -> list[Notice]:
    """Return what to know of a model that nobody asked for, and of a seed or temperature that it does not take."""
    name = speaker_of(body.simulator, deployment)
    if name is None:
        return []
    takes = deployment.registry.capability(name)
    found = [Notice.of(flag) for flag in other_models(name.model, [step.model])]
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


async def reworded(body: SimulateRequest, deployment: Deployment) -> SimulateAnswer:
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
    assert reply is not None, "pairs hold answered wordings alone"
    return metrics.Reply.of(reply)
