"""Debates and evaluations: the plan of a request, checked against this deployment, and the answers of `/debate` and `/evaluate`."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypeVar

from ..debates import statement
from ..debates.roles import DebateRole, factors_of, slug_of, wanted_roles
from ..debates.rounds import MAX_ROUNDS, NO_BUDGET, Budget, Terms
from ..debates.statement import Participant
from ..domain.completion import NO_USAGE
from ..domain.rubric import Factor, Protocol
from ..domain.verdict import JudgeName, Verdict
from ..errors import CrsEvalError, InvalidRequest
from ..pipeline import Evaluation, Plan, debate_log, evaluate
from ..scoring.score import comparison_key, in_order, members_of
from ..scoring.summary import judges_of, total_usage
from .calibrated import (
    attach_partial_verdicts,
    calibrated_key,
    calibrated_mean,
    calibrated_verdict,
    calibration_notices,
    dumped,
)
from .deployment import Deployment
from .plans.rubrics import with_rubrics
from .plans.scoring import ScoringPlan, evidence_options, plan_scoring, resolve_factors
from .plans.verdicts import checked_verdicts
from .score import raise_if_upstream_failed, score_answer, verdict_notices
from .validation_errors import pointer
from .wire.debate import (
    DebateAnswer,
    DebateFailure,
    DebateRequest,
    DebateResult,
    EvaluateAnswer,
    EvaluateRequest,
    Round,
)
from .wire.metrics import MetricsAnswer
from .wire.score import Notice
from .wire.verdict import USAGE, JudgeRef

Step = TypeVar("Step")
End = TypeVar("End", statement.Debate, Evaluation)


@dataclass(frozen=True)
class PlannedDebate:
    """The evaluation request to the judges, and the debate over it."""

    scoring: ScoringPlan
    plan: Plan


def plan_debate(
    body: DebateRequest, deployment: Deployment, *, unless_said: tuple[Factor, ...] = ()
) -> PlannedDebate:
    """The plan of a debate. Without `factors` the roles' are scored, after those in `unless_said`;
    with `verdicts` none is. Raises InvalidRequest for what this deployment does not have."""
    deployment = with_rubrics(body.rubrics, deployment)
    roles = wanted_roles(body.roles or (), deployment.roles, deployment.factors)
    participants = _participants(roles, body, deployment)
    if body.factors is not None:
        factors = resolve_factors(body.factors, deployment)
    else:
        slugs = [factor.slug for factor in unless_said]
        factors = tuple(deployment.factors[slug] for slug in dict.fromkeys([*slugs, *factors_of(roles)]))
    factors += tuple(deployment.factors[rubric.slug] for rubric in body.rubrics or ())
    given = _given(body, deployment)
    if given:
        if body.rubrics:
            fix = "leave `verdicts` out to have the rubrics judged, or judge them by /score first and send their verdicts"
            raise InvalidRequest.at("/rubrics", "with `verdicts` nothing is judged again", fix)
        factors = ()
    scoring = plan_scoring(body, factors, deployment, grouping=body.grouping, given=given, debate=bool(roles))
    budget = body.budget or NO_BUDGET
    _check_prices(budget, scoring, participants, deployment)
    plan = Plan(
        evaluation=scoring.evaluation,
        assignments=scoring.assignments,
        judge_of=deployment.judges.get,
        factors=deployment.factors,
        participants=participants,
        terms=Terms(body.max_rounds or MAX_ROUNDS, body.seed or 0, bool(body.to_the_end), budget),
        given=given,
        evidence=body.evidence,
    )
    return PlannedDebate(scoring, plan)


def _participants(
    roles: tuple[DebateRole, ...], body: DebateRequest, deployment: Deployment
) -> tuple[Participant, ...]:
    named: dict[str, JudgeName] = {}
    known = [role.slug for role in roles]
    for key, judge in (body.judges or {}).items():
        if slug_of(key) not in known:
            fix = f"name roles of this debate: {', '.join(known)}"
            raise InvalidRequest.at("/judges", f"no role {key[:80]!r} takes part", fix)
        named[slug_of(key)] = deployment.judges.named(judge, pointer(("judges", key)))
    requested = deployment.judges.named(body.judge, "/judge") if body.judge is not None else None

    def judge_of(role: DebateRole) -> JudgeName:
        return (
            named.get(role.slug)
            or requested
            or deployment.judge_by_role.get(role.slug)
            or deployment.judges.default
        )

    return tuple(Participant(role, deployment.registry.debater(judge_of(role))) for role in roles)


def _given(body: DebateRequest, deployment: Deployment) -> tuple[Verdict, ...]:
    """The verdicts that the caller brings, one a factor."""
    given = checked_verdicts(body.verdicts, deployment, "/verdicts")
    seen: set[str] = set()
    for index, verdict in enumerate(given):
        if verdict.factor in seen:
            pointer = f"/verdicts/{index}/factor"
            raise InvalidRequest.at(pointer, "a second verdict on this factor", "send one a factor")
        seen.add(verdict.factor)
    return given


def _check_prices(
    budget: Budget, scoring: ScoringPlan, participants: tuple[Participant, ...], deployment: Deployment
) -> None:
    if budget.cost is None:
        return
    judges = {name for one in scoring.assignments.values() for name in members_of(one)}
    names = {*judges, *(participant.debater.name for participant in participants)}
    if unpriced := sorted(str(name) for name in names if not deployment.registry.priced(name)):
        raise InvalidRequest.at(
            "/budget/cost",
            f"no prices are configured for {', '.join(unpriced)}, so cost cannot be bounded",
            "bound tokens instead, or have the operator set CRS_EVAL_PRICES",
        )


async def debate_one_log(body: DebateRequest, deployment: Deployment) -> DebateAnswer:
    """Have roles debate a log to one score. Raises CrsEvalError, which carries what was done, where there is no score."""
    planned = plan_debate(body, deployment)
    return debate_answer(*await end_of(debate_log(planned.plan, planned.scoring.call), planned), planned)


async def checked_steps(
    steps: AsyncGenerator[Step, None], asked: list[Verdict], planned: PlannedDebate
) -> AsyncGenerator[Step, None]:
    """The steps of a debate or an evaluation, whose verdicts go into `asked`. An error carries what was done before it.
    Raises InvalidRequest where the calibration was not made for a verdict."""
    async with aclosing(steps):
        while True:
            try:
                step = await anext(steps)
            except StopAsyncIteration:
                return
            except CrsEvalError as error:
                _carry_on_wire(error, planned)
                raise
            if isinstance(step, Verdict):
                asked.append(step)
                with attach_partial_verdicts(all_verdicts(planned.plan, asked), planned.scoring):
                    calibrated_verdict(step, planned.scoring)
            yield step


async def end_of(
    steps: AsyncGenerator[Verdict | statement.Round | End, None], planned: PlannedDebate
) -> tuple[End, list[Verdict]]:
    """The last step of a debate or an evaluation, and the verdicts before it. Raises CrsEvalError, which carries what was
    done, where it has no result."""
    asked: list[Verdict] = []
    async with aclosing(checked_steps(steps, asked, planned)) as made:
        async for step in made:
            if not isinstance(step, Verdict | statement.Round):
                return step, asked
    raise AssertionError("it ends in a result or an error")


def debate_answer(debate: statement.Debate, asked: Sequence[Verdict], planned: PlannedDebate) -> DebateAnswer:
    """The answer of `/debate`."""
    verdicts = all_verdicts(planned.plan, asked)
    scoring, key = planned.scoring, debate_key(verdicts, debate, planned)
    with attach_partial_verdicts(verdicts, scoring):
        return DebateAnswer.of(
            debate,
            calibrated=calibrated_mean(debate.overall, key, scoring),
            verdicts=[calibrated_verdict(verdict, scoring) for verdict in verdicts],
            judges=judge_refs(verdicts, debate),
            comparison_key=calibrated_key(key, scoring),
            usage=total_usage(asked) + debate.usage,
            warnings=[*notices(verdicts, debate), *calibration_notices(verdicts, key, scoring, debated=True)],
        )


def all_verdicts(plan: Plan, asked: Sequence[Verdict]) -> list[Verdict]:
    """Those that the caller brought, then those asked for in the order asked."""
    return [*plan.given, *in_order(asked, plan.evaluation.factors)]


def judge_refs(verdicts: Sequence[Verdict], debate: statement.Debate | None) -> list[JudgeRef]:
    """All who scored or spoke, each once."""
    names = [*judges_of(verdicts), *(_speakers(debate) if debate else ())]
    return [JudgeRef.of(name) for name in dict.fromkeys(names)]


def debate_key(verdicts: Sequence[Verdict], debate: statement.Debate | None, planned: PlannedDebate) -> str:
    """The key of comparability without a calibration: that of the verdicts, and of the debate where there is one."""
    if debate is None:
        return comparison_key(verdicts, planned.scoring.options)
    terms = planned.plan.terms
    options = {
        **planned.scoring.options,
        "max_rounds": terms.max_rounds,
        "seed": terms.seed,
        "debate": debate.revision,
        "speakers": ",".join(sorted(map(str, set(_speakers(debate))))),
        **(evidence_options() if planned.plan.evidence else {}),
        **({"to_the_end": 1} if terms.to_the_end else {}),
    }
    return comparison_key(verdicts, options)


def notices(verdicts: Sequence[Verdict], debate: statement.Debate | None) -> list[Notice]:
    """Return what a reader of the whole answer must not miss."""
    found = [Notice.of(warning) for warning in (debate.warnings if debate else ())]
    found += verdict_notices(verdicts)
    if debate and debate.roles_counted < len(debate.rounds[-1].speeches):
        detail = (
            f"The overall score rests on {debate.roles_counted} of {len(debate.rounds[-1].speeches)} roles."
        )
        found.append(Notice(code="roles_missing", detail=detail))
    return found


def _carry_on_wire(error: CrsEvalError, planned: PlannedDebate) -> None:
    """Put what was done before an error on the wire: verdicts, rounds, usage."""
    done = error.partial
    error.partial = {
        "verdicts": dumped(done.get("verdicts") or planned.plan.given, planned.scoring.factors),
        "rounds": [Round.of(one).model_dump(mode="json") for one in done.get("rounds", ())],
        "usage": USAGE.dump_python(done.get("usage", NO_USAGE), mode="json"),
    }


def _speakers(debate: statement.Debate) -> list[JudgeName]:
    speeches = [speech for one in debate.rounds for speech in one.speeches]
    return [s.spoke if isinstance(s, statement.Statement) else s.judge for s in speeches]


async def evaluate_log(body: EvaluateRequest, deployment: Deployment) -> EvaluateAnswer:
    """Score, debate and measure a log. Raises CrsEvalError where no judge could be reached."""
    planned, steps = evaluation_of(body, deployment)
    return evaluate_answer(*await end_of(steps, planned), planned)


def evaluation_of(
    body: EvaluateRequest, deployment: Deployment
) -> tuple[PlannedDebate, AsyncGenerator[Verdict | statement.Round | Evaluation, None]]:
    """The plan of an evaluation, and its steps."""
    planned = plan_debate(body, deployment, unless_said=deployment.factors.of(Protocol.CORE))
    return planned, evaluate(planned.plan, planned.scoring.call, with_debate=body.debate is not False)


def evaluate_answer(
    evaluation: Evaluation, asked: Sequence[Verdict], planned: PlannedDebate
) -> EvaluateAnswer:
    """The answer of `/evaluate`. Raises CrsEvalError where no judge could be reached."""
    factors = planned.scoring.factors
    verdicts = all_verdicts(planned.plan, asked)
    try:
        raise_if_upstream_failed(asked, factors)
    except CrsEvalError as error:
        usage = USAGE.dump_python(total_usage(asked), mode="json")
        error.partial |= {"rounds": [], "usage": usage}
        raise
    judged = tuple(factors[verdict.factor] for verdict in verdicts)
    scoring = replace(planned.scoring, evaluation=replace(planned.scoring.evaluation, factors=judged))
    debate, failure = evaluation.debate, evaluation.failure
    rounds: Sequence[statement.Round] = failure.partial.get("rounds", ()) if failure else ()
    key = debate_key(verdicts, debate, planned)
    scored = score_answer(verdicts, scoring, key)
    with attach_partial_verdicts(verdicts, scoring):
        overall = calibrated_mean(debate.overall if debate else None, key, scoring)
    return EvaluateAnswer(
        verdicts=scored.verdicts,
        summaries=scored.summaries,
        faults=scored.faults,
        debate=DebateResult.of(debate, calibrated=overall) if debate else None,
        debate_failure=DebateFailure(
            code=failure.slug, detail=failure.detail, rounds=[Round.of(one) for one in rounds]
        )
        if failure
        else None,
        metrics=MetricsAnswer.of(evaluation.metrics),
        judges=judge_refs(verdicts, debate),
        comparison_key=scored.comparison_key,
        usage=total_usage(asked) + (debate.usage if debate else sum((one.usage for one in rounds), NO_USAGE)),
        warnings=[
            *notices(verdicts, debate),
            *calibration_notices(
                verdicts, key, scoring, summaries=scored.summaries, debated=debate is not None
            ),
        ],
    )
