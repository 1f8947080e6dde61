"""Comparisons: their plan, the preferences, and the answer of `/compare`."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..catalogue.catalogue import Catalogue
from ..comparison.preference import Preference, Shown, prefer, prefer_overall
from ..domain.completion import NO_USAGE, Call
from ..domain.rubric import Factor
from ..domain.verdict import JudgeName, Verdict
from ..judges.evaluation import EvaluationRequest, JudgeInput, ListSource
from ..judges.llm.verdicts import other_models
from ..llm.failures import soonest
from ..scoring.evidence import EvidenceKind, fault_evidence
from ..scoring.score import in_order, score
from .answers import digest, raise_upstream_failed
from .deployment import Deployment
from .plans.rubrics import with_rubrics
from .plans.scoring import checked_log, evidence_options, named_catalogue, resolve_factors, wanted_factors
from .wire.compare import CompareAnswer, CompareRequest, PairPreference
from .wire.log import Log
from .wire.score import Notice
from .wire.verdict import JudgeRef


@dataclass(frozen=True)
class ComparisonPlan:
    """Two inputs, the factors with the judge of each, the judge of the overall question, and the orders in which a model reads
    them. `options` are the parts of the comparison key that the request sets."""

    judge_inputs: tuple[JudgeInput, JudgeInput]
    factors: tuple[Factor, ...]
    assignments: Mapping[str, JudgeName]
    overall: JudgeName
    deployment: Deployment
    orders: tuple[Shown, ...]
    call: Call
    options: Mapping[str, str | int | None]
    evidence: EvidenceKind | None = None


async def compare_logs(body: CompareRequest, deployment: Deployment) -> CompareAnswer:
    """Say which of two conversations is better. Raises CrsEvalError where no judge could be reached."""
    plan = plan_comparison(body, deployment)
    return compare_answer(await preferences(plan), plan)


def plan_comparison(body: CompareRequest, deployment: Deployment) -> ComparisonPlan:
    """Return what is to be compared by whom. Raises InvalidRequest for what this deployment does not have."""
    deployment = with_rubrics(body.rubrics, deployment)
    requested = deployment.judges.named(body.judge, "/judge") if body.judge is not None else None
    factors = resolve_factors(wanted_factors(body.factors, body.rubrics), deployment)
    catalogue = named_catalogue(body.catalog, deployment)
    source = body.list_source or ListSource.AUTO
    cutoff = body.list_cutoff or deployment.limits.list_cutoff

    def judge_input(log: Log, at: str) -> JudgeInput:
        own = Catalogue.of_log(log.value(), catalogue)
        return JudgeInput(checked_log(log, deployment, at).value(), own, cutoff, source)

    return ComparisonPlan(
        judge_inputs=(judge_input(body.first, "/first"), judge_input(body.second, "/second")),
        factors=factors,
        assignments={factor.slug: requested or deployment.judges.of(factor) for factor in factors},
        overall=requested or deployment.judges.default,
        deployment=deployment,
        orders=(Shown.FIRST_SECOND,) if body.swap is False else tuple(Shown),
        call=deployment.call(body.cache),
        options={
            "swap": str(body.swap is not False),
            "catalog": catalogue.content_hash if catalogue else None,
            "list_cutoff": cutoff,
            "list_source": source.value,
        }
        | (evidence_options() if body.evidence else {}),
        evidence=body.evidence,
    )


async def preferences(plan: ComparisonPlan) -> list[Preference]:
    """Return the preference on each factor in the order asked, and the overall one at the end. Raises where no judge could be
    reached."""
    scored = tuple(one for one in plan.factors if plan.assignments[one.slug].model is None)
    asked = [one for one in plan.factors if plan.assignments[one.slug].model is not None]
    questions: list[tuple[Factor | None, JudgeName]] = [(one, plan.assignments[one.slug]) for one in asked]
    if plan.overall.model is not None:
        questions.append((None, plan.overall))
    evidence = ("", "")
    if questions and plan.evidence:
        first, second = [
            await fault_evidence(judge_input, plan.deployment.factors, plan.deployment.judges.get, plan.call)
            for judge_input in plan.judge_inputs
        ]
        evidence = first, second
    by_scores = asyncio.create_task(_by_scores(scored, plan))
    by_model = [
        plan.deployment.registry.comparer(name).prefer(
            plan.judge_inputs, factor, plan.orders, plan.call, evidence
        )
        for factor, name in questions
    ]
    try:
        answered = await asyncio.gather(*by_model)
        found, overall = await by_scores
    finally:
        by_scores.cancel()
    known = {one.factor: one for one in (*found, *answered)}
    last = known.get(overall.factor, overall)
    ordered = [*(known[factor.slug] for factor in plan.factors), last]
    reasons = [one.reason for one in ordered if one.reason]
    if len(reasons) == len(ordered):
        wait = soonest(reason.retry_after for reason in reasons)
        raise_upstream_failed([reason.code for reason in reasons], reasons[0].detail, retry_after=wait)
    return ordered


async def _by_scores(
    factors: tuple[Factor, ...], plan: ComparisonPlan
) -> tuple[list[Preference], Preference]:
    """Return the preferences of judges that score, and the overall one that follows from them."""
    pairs: list[tuple[Verdict, Verdict]] = []
    if factors:
        by_log = []
        for judge_input in plan.judge_inputs:
            evaluation = EvaluationRequest(judge_input, factors)
            verdicts = [
                one
                async for one in score(evaluation, plan.assignments, plan.deployment.judges.get, plan.call)
            ]
            by_log.append(in_order(verdicts, factors))
        pairs = list(zip(*by_log, strict=True))
    by_slug = {factor.slug: factor for factor in factors}
    found = [prefer(pair, by_slug[pair[0].factor]) for pair in pairs]
    return found, prefer_overall(pairs, by_slug, plan.overall)


def compare_answer(found: Sequence[Preference], plan: ComparisonPlan) -> CompareAnswer:
    """The answer of `/compare`."""
    judges = dict.fromkeys(one.judge for one in found)
    asked = sorted((one.factor, one.evaluator_revision, str(one.judge)) for one in found)
    return CompareAnswer(
        preferences=[PairPreference.of(one) for one in found[:-1]],
        overall=PairPreference.of(found[-1]),
        judges=[JudgeRef.of(judge) for judge in judges],
        comparison_key=digest(asked, sorted(plan.options.items())),
        usage=sum((one.usage for one in found), NO_USAGE),
        warnings=_warnings(found, plan),
    )


def _warnings(found: Sequence[Preference], plan: ComparisonPlan) -> list[Notice]:
    asked = [*(plan.assignments[factor.slug] for factor in plan.factors), plan.overall]
    flags = (
        flag
        for name, one in zip(asked, found, strict=True)
        for flag in other_models(name.model, [one.judge.model])
    )
    notices = [Notice.of(flag) for flag in dict.fromkeys(flags)]
    if missing := sum(one.preferred is None for one in found):
        detail = f"{missing} of {len(found)} questions have no preference; `reason` says why."
        notices.append(Notice(code="no_preference", detail=detail))
    return notices
