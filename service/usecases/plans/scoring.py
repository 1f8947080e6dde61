"""A request, checked against this deployment, as the evaluation request that the judges get; and the judges of each factor, with the way in which they
are asked: as the request says, else as the operator does."""

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...catalogue.catalogue import Catalogue
from ...computed_metrics.abilities import IN_HAND, IN_HAND_SCALE
from ...domain.calibration import NO_CALIBRATION, Calibration
from ...domain.completion import Call
from ...domain.modes import Judging, Variant
from ...domain.nearest import nearest
from ...domain.rubric import Factor, Protocol
from ...domain.verdict import JudgeName, Verdict
from ...errors import ConfigurationError, InvalidRequest
from ...factors import FactorCatalogue
from ...judges.embedded.judge import revision as embedded_revision
from ...judges.evaluation import EvaluationRequest, Example, Grouping, JudgeInput, ListSource
from ...scoring.mixture import Aggregate
from ...scoring.score import JudgeAssignment, JudgeOf, Panel, members_of, name_of, score
from ..deployment import Deployment, Judges, JudgingModes, allows
from ..validation_errors import pointer as json_pointer
from ..wire.log import Log
from ..wire.rubric import Rubric
from ..wire.score import Example as WireExample
from ..wire.score import FactorScoreRequest, ScoreRequest
from .calibration import plan_calibration
from .rubrics import with_rubrics
from .verdicts import checked_verdicts


@dataclass(frozen=True)
class ScoringPlan:
    """An evaluation request with the judge, or the panel, of each factor. `factors` are those of the service and of the request; `options`
    are the parts of the comparison key that the request sets."""

    evaluation: EvaluationRequest
    assignments: Mapping[str, JudgeAssignment]
    judge_of: JudgeOf
    factors: FactorCatalogue
    call: Call
    options: Mapping[str, str | int | None]
    calibration: Calibration = NO_CALIBRATION

    def verdicts(self) -> AsyncGenerator[Verdict, None]:
        """Ask all judges; yield each verdict as it is ready. Judges keep the deadline themselves and fail what is late."""
        return score(self.evaluation, self.assignments, self.judge_of, self.call)


def plan_score_request(body: ScoreRequest, deployment: Deployment) -> ScoringPlan:
    """The evaluation request of `/score`."""
    deployment = with_rubrics(body.rubrics, deployment)
    factors = resolve_factors(wanted_factors(body.factors, body.rubrics), deployment)
    in_hand = dict.fromkeys(IN_HAND, IN_HAND_SCALE)
    earlier = checked_verdicts(body.verdicts, deployment, "/verdicts", in_hand)
    return plan_scoring(body, factors, deployment, grouping=body.grouping, verdicts=earlier)


def plan_scoring(
    body: FactorScoreRequest,
    factors: tuple[Factor, ...],
    deployment: Deployment,
    *,
    grouping: Grouping | None = None,
    verdicts: tuple[Verdict, ...] = (),
    given: tuple[Verdict, ...] = (),
    debate: bool = False,
) -> ScoringPlan:
    """Plan the evaluation of these factors. `given` are verdicts that the answer includes as they are; `debate`: one follows.
    Raises InvalidRequest for what this deployment does not have, and for a calibration that was not made for it."""
    catalogue = named_catalogue(body.catalog, deployment)
    log = checked_log(body.log, deployment).value()
    judge_input = JudgeInput(
        log=log,
        catalogue=Catalogue.of_log(log, catalogue) if log.items or log.card_items else catalogue,
        list_cutoff=body.list_cutoff or deployment.limits.list_cutoff,
        list_source=body.list_source or ListSource.AUTO,
    )
    assignments = assign_judges(body, factors, deployment)
    judging = judging_of(body, factors, deployment.modes, assignments, deployment.factors)
    evaluation = EvaluationRequest(
        judge_input=judge_input,
        factors=factors,
        samples=body.samples or 1,
        grouping=grouping,
        verdicts=verdicts,
        scales={
            one.factor: deployment.factors[one.factor].scale
            if one.factor in deployment.factors
            else IN_HAND_SCALE
            for one in verdicts
        },
        variant=body.variant or Variant.CRS_EVAL,
        examples=checked_examples(body.examples, deployment),
        itemised=judging[Judging.ITEMISED],
        faults=judging[Judging.FAULTS],
        expected=bool(body.expected),
        anchors=bool(body.anchors),
    )
    check_modes(evaluation, assignments, deployment.judges)
    if body.examples and all(
        one.model is None for assignment in assignments.values() for one in members_of(assignment)
    ):
        fix = "name a language model as `judge`, or leave `examples` out"
        raise InvalidRequest.at("/examples", "only language models read examples", fix)
    calibration = NO_CALIBRATION
    if body.calibration is not None:
        asked = {slug: name_of(assignment) for slug, assignment in assignments.items()}
        asked |= {verdict.factor: verdict.judge for verdict in given}
        calibration = plan_calibration(
            body.calibration,
            deployment.calibrations,
            deployment.factors,
            judge_input.log,
            asked,
            debate=debate,
        )
    # Keys of answers that are not judged by faults stay what they were.
    by_faults = f"{evaluation.grouping or Grouping.ALL}: {','.join(sorted(evaluation.faults))}"
    return ScoringPlan(
        evaluation=evaluation,
        assignments=assignments,
        judge_of=deployment.judges.get,
        factors=deployment.factors,
        calibration=calibration,
        call=deployment.call(body.cache, entries=[]),
        options={
            "samples": evaluation.samples,
            "grouping": (grouping or Grouping.SEPARATE).value,
            "catalog": catalogue.content_hash if catalogue else None,
            "list_cutoff": judge_input.list_cutoff,
            "list_source": judge_input.list_source.value,
            "variant": evaluation.variant.value,
            "itemised": ",".join(sorted(evaluation.itemised)),
            "expected": evaluation.expected,
            "anchors": evaluation.anchors,
        }
        | ({"faults": by_faults} if evaluation.faults else {}),
    )


def evidence_options() -> dict[str, str]:
    """The part of a comparison key that says which faults a model read. Keys of other answers stay what they were."""
    return {"evidence": f"faults {embedded_revision()}"}


def wanted_factors(factors: Sequence[str] | None, rubrics: Sequence[Rubric] | None) -> list[str]:
    """The names of what a request asks about: `core` where it names nothing and brings no rubric."""
    unless_said = [] if rubrics else [Protocol.CORE.value]
    return [*(factors or unless_said), *(rubric.slug for rubric in rubrics or ())]


def resolve_factors(names: Sequence[str], deployment: Deployment) -> tuple[Factor, ...]:
    """Slugs and protocols as factors, each once, in the order asked."""
    found: dict[str, Factor] = {}
    protocols = {protocol.value: deployment.factors.of(protocol) for protocol in deployment.factors.protocols}
    for index, name in enumerate(names):
        if name in deployment.factors:
            found[name] = deployment.factors[name]
        elif name in protocols:
            found.update({factor.slug: factor for factor in protocols[name]})
        else:
            near = nearest(name, [*deployment.factors, *protocols])
            hint = f"did you mean {near!r}? " if near else ""
            fix = f"{hint}GET /factors lists the slugs; protocols here: {', '.join(protocols)}"
            raise InvalidRequest.at(f"/factors/{index}", "no such factor or protocol", fix)
    return tuple(found.values())


def checked_examples(sent: Sequence[WireExample] | None, deployment: Deployment) -> tuple[Example, ...]:
    """Rated conversations that a caller brings. Raises InvalidRequest for one of no factor of this service, or off its scale."""
    found = []
    for index, one in enumerate(sent or ()):
        at = f"/examples/{index}"
        factor = deployment.factors.get(one.factor)
        if factor is None:
            raise InvalidRequest.at(f"{at}/factor", "no such factor", "GET /factors lists the slugs")
        low, high = factor.scale.min, factor.scale.max
        if not low <= one.score <= high:
            fix = f"send a score from {low} to {high}"
            raise InvalidRequest.at(f"{at}/score", "off the factor's scale", fix)
        found.append(Example(one.factor, one.score, checked_log(one.log, deployment, f"{at}/log").value()))
    return tuple(found)


def checked_log(log: Log, deployment: Deployment, at: str = "/log") -> Log:
    """The log, within this deployment's limits."""
    if errors := [*deployment.limits.too_long(f"{at}/messages", len(log.messages) + len(log.history or ()))]:
        raise InvalidRequest.of(errors)
    return log


def named_catalogue(name: str | None, deployment: Deployment) -> Catalogue | None:
    """The catalogue that a request names. Raises InvalidRequest for an unknown one."""
    if name is None:
        return None
    if name not in deployment.catalogues:
        known = ", ".join(sorted(deployment.catalogues)) or "none is configured"
        fix = (
            f"name one of these: {known}, or send the items in the log as `items`. Operators set "
            "CRS_EVAL_CATALOGS; on the command line, use --catalog FILE"
        )
        raise InvalidRequest.at("/catalog", "unknown catalogue", fix)
    return deployment.catalogues[name]


BUILTIN = "builtin"
ONE_OR_MORE = "name one judge as `judge`, or several as `panel`"


def assign_judges(
    body: FactorScoreRequest, factors: Sequence[Factor], deployment: Deployment
) -> dict[str, JudgeAssignment]:
    """The judge or the panel of each factor. What is said of one factor goes before a mixture, and that before `judge` or
    `panel`. Raises InvalidRequest for judges that cannot be had, and for what contradicts itself."""
    aggregate = body.aggregate or Aggregate.MEAN
    whole = _whole(body, aggregate, deployment)
    own = dict(_own(body, aggregate, deployment)) if isinstance(body, ScoreRequest) else {}
    if body.aggregate is not None and not any(
        isinstance(assignment, Panel) for assignment in (whole, *own.values())
    ):
        raise InvalidRequest.at("/aggregate", "the request has no panel", f"{ONE_OR_MORE}, or leave it out")
    mixed = _mixed(body, factors, deployment) if isinstance(body, ScoreRequest) else {}
    return {
        factor.slug: own.get(factor.slug) or mixed.get(factor.slug) or whole or deployment.judges.of(factor)
        for factor in factors
    }


def _whole(body: FactorScoreRequest, aggregate: Aggregate, deployment: Deployment) -> JudgeAssignment | None:
    """The judge or the panel of all factors that nothing else is said of."""
    if body.panel is not None:
        if body.judge is not None:
            raise InvalidRequest.at("/panel", "`panel` and `judge` cannot be combined", ONE_OR_MORE)
        return _panel(body.panel, aggregate, deployment, "/panel")
    return None if body.judge is None else deployment.judges.named(body.judge, "/judge")


def _own(
    body: ScoreRequest, aggregate: Aggregate, deployment: Deployment
) -> Iterator[tuple[str, JudgeAssignment]]:
    """The judge or the panel that is named for a single factor."""
    judges, panels = body.factor_judges or {}, body.factor_panels or {}
    check_slugs(judges, deployment.factors, "/factor_judges")
    check_slugs(panels, deployment.factors, "/factor_panels")
    for slug, judge in judges.items():
        yield slug, deployment.judges.named(judge, json_pointer(("factor_judges", slug)))
    for slug, members in panels.items():
        pointer = json_pointer(("factor_panels", slug))
        if slug in judges:
            raise InvalidRequest.at(pointer, f"{slug} is in `factor_judges` too", "leave one of the two out")
        yield slug, _panel(members, aggregate, deployment, pointer)


def _panel(members: Sequence[str], aggregate: Aggregate, deployment: Deployment, pointer: str) -> Panel:
    """Build a panel. Raises InvalidRequest for a judge that is named twice."""
    names: list[JudgeName] = []
    for index, member in enumerate(members):
        name = deployment.judges.named(member, f"{pointer}/{index}")
        if name in names:
            fix = "name it once; to ask a model several times, send `samples`"
            raise InvalidRequest.at(f"{pointer}/{index}", f"{name} is in the panel already", fix)
        names.append(name)
    return Panel(tuple(names), aggregate)


def _mixed(body: ScoreRequest, factors: Sequence[Factor], deployment: Deployment) -> Mapping[str, JudgeName]:
    """Return the judges of the named mixture, for the factors that it covers and that name no other judge."""
    mixture = body.mixture.judges if body.mixture is not None else {}
    named = {*(body.factor_judges or {}), *(body.factor_panels or {})}
    found = {one.slug: mixture[one.slug] for one in factors if one.slug in mixture and one.slug not in named}
    for slug, name in found.items():
        try:
            deployment.judges.named(str(name), "/mixture")
        except InvalidRequest as unknown:
            detail = f"{slug} goes to {name}: {unknown.errors[0].detail}"
            fix = "have the operator set it up (docs/ways-of-judging.md), or name your own models in `factor_judges`"
            raise InvalidRequest.at("/mixture", detail, fix) from None
    return found


def checked_modes(modes: JudgingModes, factors: FactorCatalogue) -> JudgingModes:
    """The judging modes of a deployment. Raises ConfigurationError for a factor that cannot be judged in its mode."""
    for slug, judging in modes.by_factor.items():
        if not allows(factors[slug], judging):
            name = slug.upper().replace("-", "_")
            detail, _ = _not_allowed(factors[slug], judging, factors)
            fix = _allowed(judging, factors.values())
            raise ConfigurationError(f"CRS_EVAL_JUDGING_{name}: {detail}; {fix}")
    return modes


def judging_of(
    body: FactorScoreRequest,
    factors: Sequence[Factor],
    modes: JudgingModes,
    assignments: Mapping[str, JudgeAssignment],
    known: FactorCatalogue,
) -> Mapping[Judging, frozenset[str]]:
    """The factors that models judge in each way. Raises InvalidRequest where a list is asked for and a factor has none, or
    with a field that goes with levels alone."""
    own = body.factor_judging or {}
    check_slugs(own, known, "/factor_judging")
    found: dict[Judging, set[str]] = {judging: set() for judging in Judging}
    for factor in factors:
        asked = own.get(factor.slug, body.judging)
        if asked is not None:
            pointer = f"/factor_judging/{factor.slug}" if factor.slug in own else "/judging"
            _check_asked(body, factor, asked, pointer, known)
        elif all(name.name != BUILTIN for name in members_of(assignments[factor.slug])):
            asked = modes.of(factor)
            asked = Judging.RATING if _against(body, asked) else asked
        found[asked or Judging.RATING].add(factor.slug)
    return {judging: frozenset(slugs) for judging, slugs in found.items()}


def _check_asked(
    body: FactorScoreRequest, factor: Factor, asked: Judging, pointer: str, known: FactorCatalogue
) -> None:
    if not allows(factor, asked):
        raise InvalidRequest.at(pointer, *_not_allowed(factor, asked, known))
    if field := _against(body, asked):
        no_level = "the model returns a list without a level, and code finds the level"
        reason = "faults have only one variant" if field == "variant" else no_level
        fix = f"leave one of the two out: {reason}"
        raise InvalidRequest.at(f"/{field}", f"`{field}` cannot be combined with `{asked.value}`", fix)


def check_slugs(slugs: Iterable[str], known: FactorCatalogue, pointer: str) -> None:
    """Raise InvalidRequest for a key of the object at `pointer` that is no factor."""
    for slug in slugs:
        if slug not in known:
            raise InvalidRequest.at(
                pointer + json_pointer((slug,)), "no such factor", "GET /factors lists the slugs"
            )


def _against(body: FactorScoreRequest, judging: Judging) -> str | None:
    """The field of a request that does not go with a way of judging: lists have no levels, and faults have one reading."""
    if judging is Judging.RATING:
        return None
    wanted: dict[str, object] = {
        "expected": body.expected,
        "examples": body.examples,
        "anchors": body.anchors,
    }
    if judging is Judging.FAULTS:
        wanted["variant"] = body.variant is Variant.PUBLISHED
    return next((field for field, value in wanted.items() if value), None)


def _not_allowed(factor: Factor, judging: Judging, known: FactorCatalogue) -> tuple[str, str]:
    """The reason why a factor cannot be judged in a way, and the remedy."""
    remedy = f'have it rated (`"factor_judging": {{"{factor.slug}": "rating"}}`)'
    faults = judging is Judging.FAULTS
    if factor.slug.startswith("custom-"):
        reason = "no fault lowers it" if faults else "rubrics have no ladder"
        more = "" if faults else ", or have the operator add it as a file with one (docs/custom-factors.md)"
        return f"{factor.slug} is a rubric of this request, and {reason}", remedy + more
    reason = "is not a factor of CoRE, and faults lower only those" if faults else "has no ladder"
    return f"{factor.slug} {reason}", f"{remedy}, or leave it out; {_allowed(judging, known.values())}"


def _allowed(judging: Judging, factors: Iterable[Factor]) -> str:
    lead = "faults are for" if judging is Judging.FAULTS else "these have one:"
    return f"{lead} {', '.join(factor.slug for factor in factors if allows(factor, judging))}"


def check_modes(
    evaluation: EvaluationRequest, assignments: Mapping[str, JudgeAssignment], judges: Judges
) -> None:
    """Raise InvalidRequest where a judge cannot answer its factors in the way that is asked."""
    for factor in evaluation.factors:
        if evaluation.expected and factor.scale.max > 9:
            fix = "leave the factor or `expected` out"
            raise InvalidRequest.at("/expected", f"the levels of {factor.slug} have more than one digit", fix)
    anchored = evaluation.anchors and bool(evaluation.factors)
    if anchored and not any(factor.read_as(evaluation.variant).anchors for factor in evaluation.factors):
        fix = "ask for factors of CoRE in our own reading, which have some, or leave `anchors` out"
        raise InvalidRequest.at("/anchors", "none of these factors has worked examples", fix)
    for name in dict.fromkeys(name for assignment in assignments.values() for name in members_of(assignment)):
        own = tuple(factor for factor in evaluation.factors if name in members_of(assignments[factor.slug]))
        refusal = judges.get(name).refusal(replace(evaluation, factors=own))
        if refusal is not None:
            raise InvalidRequest.at(f"/{refusal.field}", refusal.detail, refusal.fix)
