"""A request, checked against this deployment, as the inquiry that the judges get."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.process import extractOne

from ...catalogue.catalogue import Catalogue
from ...domain.calibration import Calibration
from ...domain.completion import Call
from ...domain.rubric import Factor, Protocol
from ...domain.verdict import JudgeName, Verdict
from ...errors import FieldError, InvalidRequest
from ...judges.inquiry import Case, Grouping, Inquiry, Layout, ListSource
from ..services import Services
from ..validation_errors import MOST
from ..wire.log import Log
from ..wire.score import FactorScoreRequest, ScoreRequest
from ..wire.verdict import Verdict as WireVerdict
from .calibration import Asked, plan_calibration


@dataclass(frozen=True)
class ScoringPlan:
    """What is asked of whom. `options` are the parts of the comparison key that the request sets."""

    inquiry: Inquiry
    routes: Mapping[str, JudgeName]
    call: Call
    options: Mapping[str, str | int | None]
    calibration: Calibration | None = None


def ask_everything(body: ScoreRequest, here: Services) -> ScoringPlan:
    """The inquiry of `/score`."""
    unless_said = [] if body.rubrics else [Protocol.CORE.value]
    own = [rubric.slug for rubric in body.rubrics or ()]
    factors = resolve_factors([*(body.factors or unless_said), *own], here)
    earlier = checked_verdicts(body.verdicts, here, "/verdicts")
    return ask_about(body, factors, here, grouping=body.grouping or Grouping.SEPARATE, verdicts=earlier)


def ask_about(
    body: FactorScoreRequest,
    factors: tuple[Factor, ...],
    here: Services,
    *,
    grouping: Grouping = Grouping.SEPARATE,
    verdicts: tuple[Verdict, ...] = (),
    given: tuple[Verdict, ...] = (),
    debate: bool = False,
) -> ScoringPlan:
    """The inquiry of these factors; `given` are verdicts that stand in the answer unasked, and `debate` says that there is one.
    Raises InvalidRequest for what this deployment does not have, and for a calibration that was not made for it."""
    requested = here.judges.named(body.judge, "/judge") if body.judge is not None else None
    catalogue = named_catalogue(body.catalog, here)
    case = Case(
        log=checked_log(body.log, here).value(),
        catalogue=Catalogue.over(tuple(item.value() for item in body.log.items or ()), catalogue),
        list_cutoff=body.list_cutoff or here.limits.list_cutoff,
        list_source=body.list_source or ListSource.AUTO,
    )
    inquiry = Inquiry(
        case=case,
        factors=factors,
        samples=body.samples or 1,
        grouping=grouping,
        layout=body.layout or Layout.AUTO,
        verdicts=verdicts,
    )
    routes = here.judges.routes(factors, requested)
    asked = Asked(case.log, routes, given, debate)
    return ScoringPlan(
        inquiry=inquiry,
        routes=routes,
        calibration=plan_calibration(body.calibration, here.calibrations, here.factors, asked),
        call=here.call(body.cache, entries=[]),
        options={
            "samples": inquiry.samples,
            "grouping": grouping.value,
            "layout": inquiry.layout.value,
            "catalog": catalogue.content_hash if catalogue else None,
            "list_cutoff": case.list_cutoff,
            "list_source": case.list_source.value,
        },
    )


def resolve_factors(names: Sequence[str], here: Services) -> tuple[Factor, ...]:
    """Slugs and protocols as factors, each once, in the order asked."""
    found: dict[str, Factor] = {}
    protocols = {protocol.value: here.factors.of(protocol) for protocol in here.factors.protocols}
    for index, name in enumerate(names):
        if name in here.factors:
            found[name] = here.factors[name]
        elif name in protocols:
            found.update({factor.slug: factor for factor in protocols[name]})
        else:
            near = extractOne(name, [*here.factors, *protocols], score_cutoff=50)
            hint = f"did you mean {near[0]!r}? " if near else ""
            fix = f"{hint}GET /factors lists the slugs; protocols here: {', '.join(protocols)}"
            raise InvalidRequest.at(f"/factors/{index}", "no such factor or protocol", fix)
    return tuple(found.values())


def checked_verdicts(sent: Sequence[WireVerdict] | None, here: Services, at: str) -> tuple[Verdict, ...]:
    """Verdicts that a caller brings, in the list at the pointer `at`. Raises InvalidRequest unless each is of a
    factor of this service, on its scale, with all scores inside it: they go into prompts and means as they are."""
    faults = [fault for index, one in enumerate(sent or ()) for fault in _faults(one, here, f"{at}/{index}")]
    if faults:
        first = faults[0]
        raise InvalidRequest(f"{first.pointer}: {first.detail}", errors=faults[:MOST])
    return tuple(verdict.value() for verdict in sent or ())


def _faults(verdict: WireVerdict, here: Services, at: str) -> Iterator[FieldError]:
    factor = here.factors.get(verdict.factor)
    if factor is None:
        near = extractOne(verdict.factor[:80], list(here.factors), score_cutoff=60)
        hint = f"did you mean {near[0]!r}? " if near else ""
        yield FieldError(f"{at}/factor", "no such factor", f"{hint}GET /factors lists the slugs")
        return
    low, high = factor.scale.min, factor.scale.max
    if (verdict.scale.min, verdict.scale.max) != (low, high):
        yield FieldError(
            f"{at}/scale", "not the factor's scale", f"send a verdict on the scale {low} to {high}"
        )
    scores = {
        f"{at}/score": verdict.score,
        **{f"{at}/samples/scores/{index}": score for index, score in enumerate(verdict.samples.scores)},
        **{f"{at}/turns/{index}/score": turn.score for index, turn in enumerate(verdict.turns or ())},
    }
    for pointer, score in scores.items():
        if score is not None and not low <= score <= high:
            yield FieldError(pointer, "off the factor's scale", f"send a score from {low} to {high}")


def checked_log(log: Log, here: Services) -> Log:
    """The log, within this deployment's limits."""
    count = len(log.messages) + len(log.history or ())
    if count > here.limits.messages:
        fix = "cut the log, or have the operator raise CRS_EVAL_MAX_MESSAGES"
        raise InvalidRequest.at(
            "/log/messages", f"{count} messages with history, where {here.limits.messages} are allowed", fix
        )
    return log


def named_catalogue(name: str | None, here: Services) -> Catalogue | None:
    """The catalogue that a request names. Raises InvalidRequest for one that is not at hand."""
    if name is None:
        return None
    if name not in here.catalogues:
        known = ", ".join(sorted(here.catalogues)) or "there is none"
        fix = (
            f"name one of those at hand ({known}), or send the items with the log as `items`; operators set "
            "CRS_EVAL_CATALOGS, the command line takes --catalog FILE"
        )
        raise InvalidRequest.at("/catalog", "no such catalogue here", fix)
    return here.catalogues[name]
