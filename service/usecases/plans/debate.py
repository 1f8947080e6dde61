"""A request for a debate, checked against this deployment, as the plan that the pipeline follows."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...debates.roles import DebateRole, factors_of, slug_of, wanted_roles
from ...debates.rounds import MAX_ROUNDS, NO_BUDGET, Budget, Terms
from ...debates.statement import Participant
from ...domain.rubric import Factor
from ...domain.verdict import JudgeName, Verdict
from ...errors import InvalidRequest
from ...pipeline.debate import Plan
from ...scoring.score import members_of
from ..deployment import Deployment
from ..validation_errors import pointer
from ..wire.debate import DebateRequest
from .rubrics import with_rubrics
from .scoring import ScoringPlan, evidence_options, plan_scoring, resolve_factors
from .verdicts import checked_verdicts


@dataclass(frozen=True)
class PlannedDebate:
    """The evaluation request to the judges, and the debate over it."""

    scoring: ScoringPlan
    plan: Plan

    @property
    def options(self) -> Mapping[str, str | int | None]:
        """The parts of the comparison key that the request sets."""
        terms = self.plan.terms
        found = {**self.scoring.options, "max_rounds": terms.max_rounds, "seed": terms.seed}
        if self.plan.evidence:
            found |= evidence_options()
        return {**found, "to_the_end": 1} if terms.to_the_end else found


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
