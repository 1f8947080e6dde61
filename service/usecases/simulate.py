"""Sessions of simulated users: the request checked against this deployment, the session, its scores, and the answer."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from ..domain import completion
from ..domain import verdict as domain
from ..domain.conversation import UNKNOWN_DOMAIN, Role
from ..domain.verdict import JudgeName
from ..errors import InvalidRequest
from ..judges.llm.verdicts import other_models
from ..simulators import session
from ..simulators.asker import Asker
from ..simulators.kind import Backend, SimulatorConfig
from ..simulators.kinds import paraphrase
from ..simulators.machine import Simulator, UserPolicy
from ..simulators.profile import build_profile
from ..simulators.recommender import Recommender, Reply
from ..simulators.step import Step
from .deployment import Deployment
from .plans.scoring import BUILTIN, ScoringPlan, checked_log, named_catalogue, plan_score_request
from .score import score_answer
from .wire import metrics, simulator
from .wire.log import Log, Message
from .wire.score import Notice, ScoreAnswer, ScoreRequest
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
_REPLY = Message(role=Role.ASSISTANT, content="Any reply.")


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
    ended = await session.finish(session_of(body, call, deployment))
    scoring = judging(body, call, ended, deployment)
    verdicts = [verdict async for verdict in scoring.verdicts()] if scoring else []
    return ended_answer(body, ended, scoring, verdicts, deployment)


def session_of(body: SimulateRequest, call: completion.Call, deployment: Deployment) -> Steps:
    """Return the steps of a session with the recommender that the request names."""
    assert body.crs is not None
    recommender = recommender_of(body.crs, body.log.id, deployment)
    log = body.log.value()
    log = replace(log, system=log.system or body.crs, complete=False)
    simulator = Simulator(policy_of(body, deployment))
    return session.converse(simulator, recommender, log, call)


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
    last = ended.steps[-1] if ended.steps else Step(message=None)
    return _answer(
        last,
        body,
        deployment,
        done=True,
        outcome=ended.reason,
        detail=ended.detail,
        removed=tuple(text for step in ended.steps for text in step.removed),
        flags=tuple(flag for step in ended.steps for flag in step.flags),
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
    replies = await paraphrase.ask_each(recommender, log, texts, call) if recommender else None
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


def policy_of(body: SimulateRequest, deployment: Deployment) -> UserPolicy:
    """The simulated user of a request, whose kind talks. Raises InvalidRequest for a field that its type does not
    know, and for a model that is not to be had here."""
    if deployment.user is not None:
        return deployment.user
    asked = body.simulator
    build = asked.kind.build
    assert build is not None, "no policy makes rewordings"
    return build(
        SimulatorConfig(
            asker=lambda: player_of(asked, deployment),
            seed=asked.seed or 0,
            catalogue=named_catalogue(body.catalog, deployment),
            list_cutoff=deployment.limits.list_cutoff,
            settings=asked.settings,
            temperature=asked.temperature,
            variant=asked.variant.value if asked.variant else None,
        )
    )


def check_fields(asked: simulator.Simulator) -> None:
    """Raises InvalidRequest for a field that the simulator's type does not know."""
    takes = asked.kind.takes
    for name in sorted(asked.model_fields_set - {"type"}):
        if getattr(asked, name) is not None and name not in takes:
            knows = ", ".join(sorted(takes))
            detail = f"a `{asked.type}` simulator has no such setting"
            raise InvalidRequest.at(f"/simulator/{name}", detail, f"leave it out; it knows {knows}")


def speaker_of(asked: simulator.Simulator, deployment: Deployment) -> JudgeName | None:
    """The name of the model that finds the words, as the caller or operator gave it; None where rules do."""
    backend = asked.kind.backend
    if backend is Backend.RULES or (backend is Backend.EITHER and asked.judge in (None, BUILTIN)):
        return None
    return JudgeName.parse(asked.judge) if asked.judge else deployment.judges.default


def player_of(asked: simulator.Simulator, deployment: Deployment) -> Asker:
    """The model that plays the user, with the request's seed and temperature. Raises as `model_of` does."""
    return model_of(asked.judge, deployment, seed=asked.seed, temperature=asked.temperature)


def model_of(
    judge: str | None,
    deployment: Deployment,
    *,
    seed: int | None = None,
    temperature: float | None = None,
    pointer: str = "/simulator/judge",
) -> Asker:
    """The model that a caller names. Raises InvalidRequest where none is named or to be had."""
    name = deployment.judges.named(judge, pointer) if judge is not None else deployment.judges.default
    if name.name == BUILTIN:
        fix = "name a model that the operator allows as `name:model`, or use the `scripted` simulator"
        raise InvalidRequest.at(pointer, "the embedded judge cannot play a user", fix)
    return deployment.registry.asker(name, seed, temperature)


def recommender_of(name: str, session: str | None, deployment: Deployment) -> Recommender:
    """The recommender that a caller names, in the session whose log has this id. Raises InvalidRequest where the operator has none such."""
    if name not in deployment.recommenders:
        known = (
            ", ".join(sorted(deployment.recommenders))
            or "none is configured: operators set CRS_EVAL_CRS_ENDPOINTS"
        )
        raise InvalidRequest.at("/crs", "unknown recommender", f"name one of these: {known}")
    found = deployment.recommenders[name]
    return (
        found if session is None or deployment.memory is None else deployment.memory.of(found, name, session)
    )


def check_scoring(body: SimulateRequest, deployment: Deployment) -> None:
    """Raise InvalidRequest for what a session cannot be judged by: before it is held, not after it."""
    if body.score is None:
        if body.scoring is not None:
            fix = "name factors in `score`, or leave it out"
            raise InvalidRequest.at("/scoring", "nothing is to be scored", fix)
        return
    stand_in = body.log.model_copy(update={"messages": [_REPLY], "history": None})
    try:
        plan_session_scoring(body, stand_in.to_log(), deployment)
    except InvalidRequest as refusal:
        faults = [replace(fault, pointer=_place(fault.pointer)) for fault in refusal.errors]
        raise InvalidRequest.of(faults) from None


def plan_session_scoring(body: SimulateRequest, log: Log, deployment: Deployment) -> ScoringPlan:
    """The evaluation request about a session's log."""
    way = (
        {name: getattr(body.scoring, name) for name in body.scoring.model_fields_set} if body.scoring else {}
    )
    asked = ScoreRequest(log=log, factors=body.score, catalog=body.catalog, cache=body.cache, **way)
    return plan_score_request(asked, deployment)


def _place(pointer: str) -> str:
    """The place in a request to `/simulate` of a field of `/score`."""
    field = pointer.split("/")[1]
    if field == "factors":
        return pointer.replace("/factors", "/score", 1)
    return pointer if field in SimulateRequest.model_fields else f"/scoring{pointer}"
