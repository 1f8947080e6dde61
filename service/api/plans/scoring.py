"""A request, checked against this deployment, as the inquiry that the judges get."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.process import extractOne

from ...catalogue.catalogue import Catalogue
from ...domain.calibration import Calibration
from ...domain.completion import Call
from ...domain.rubric import Factor, Protocol, Variant
from ...domain.verdict import Verdict
from ...errors import FieldError, InvalidRequest
from ...judges.inquiry import Case, Example, Grouping, Inquiry, Layout, ListSource
from ...scoring.panel import Route, members_of, name_of
from ..services import Services
from ..validation_errors import MOST
from ..wire.example import Example as WireExample
from ..wire.log import Log
from ..wire.rubric import Rubric
from ..wire.score import FactorScoreRequest, ScoreRequest
from ..wire.verdict import MemberVerdict
from ..wire.verdict import Verdict as WireVerdict
from .calibration import Asked, plan_calibration
from .judges import check_ways, itemised_in, plan_routes


@dataclass(frozen=True)
class ScoringPlan:
    """An inquiry with the judge, or the panel, of each factor. `options` are the parts of the comparison key that the request sets."""

    inquiry: Inquiry
    routes: Mapping[str, Route]
    call: Call
    options: Mapping[str, str | int | None]
    calibration: Calibration | None = None


def ask_everything(body: ScoreRequest, here: Services) -> ScoringPlan:
    """The inquiry of `/score`."""
    factors = resolve_factors(wanted_factors(body.factors, body.rubrics), here)
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
    catalogue = named_catalogue(body.catalog, here)
    log = checked_log(body.log, here).value()
    case = Case(
        log=log,
        catalogue=Catalogue.of_log(log, catalogue),
        list_cutoff=body.list_cutoff or here.limits.list_cutoff,
        list_source=body.list_source or ListSource.AUTO,
    )
    routes = plan_routes(body, factors, here)
    inquiry = Inquiry(
        case=case,
        factors=factors,
        samples=body.samples or 1,
        grouping=grouping,
        layout=body.layout or Layout.AUTO,
        verdicts=verdicts,
        scales={one.factor: here.factors[one.factor].scale for one in verdicts},
        variant=body.variant or Variant.CRS_EVAL,
        examples=checked_examples(body.examples, here),
        itemised=itemised_in(body, factors, here.ways, routes, here.factors),
        expected=bool(body.expected),
        anchors=bool(body.anchors),
    )
    check_ways(inquiry, routes, here.judges)
    if body.examples and all(one.model is None for route in routes.values() for one in members_of(route)):
        fix = "name a language model as `judge`, or leave `examples` out"
        raise InvalidRequest.at("/examples", "only language models read examples", fix)
    calibration = None
    if body.calibration is not None:
        asked = Asked(case.log, {slug: name_of(route) for slug, route in routes.items()}, given, debate)
        calibration = plan_calibration(body.calibration, here.calibrations, here.factors, asked)
    return ScoringPlan(
        inquiry=inquiry,
        routes=routes,
        calibration=calibration,
        call=here.call(body.cache, entries=[]),
        options={
            "samples": inquiry.samples,
            "grouping": grouping.value,
            "layout": inquiry.layout.value,
            "catalog": catalogue.content_hash if catalogue else None,
            "list_cutoff": case.list_cutoff,
            "list_source": case.list_source.value,
            "variant": inquiry.variant.value,
            "itemised": ",".join(sorted(inquiry.itemised)),
            "expected": inquiry.expected,
            "anchors": inquiry.anchors,
        },
    )


def wanted_factors(factors: Sequence[str] | None, rubrics: Sequence[Rubric] | None) -> list[str]:
    """The names of what a request asks about: `core` where it names nothing and brings no rubric."""
    unless_said = [] if rubrics else [Protocol.CORE.value]
    return [*(factors or unless_said), *(rubric.slug for rubric in rubrics or ())]


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


def checked_examples(sent: Sequence[WireExample] | None, here: Services) -> tuple[Example, ...]:
    """Rated conversations that a caller brings. Raises InvalidRequest for one of no factor of this service, or off its scale."""
    found = []
    for index, one in enumerate(sent or ()):
        at = f"/examples/{index}"
        factor = here.factors.get(one.factor)
        if factor is None:
            raise InvalidRequest.at(f"{at}/factor", "no such factor", "GET /factors lists the slugs")
        low, high = factor.scale.min, factor.scale.max
        if not low <= one.score <= high:
            fix = f"send a score from {low} to {high}"
            raise InvalidRequest.at(f"{at}/score", "off the factor's scale", fix)
        found.append(Example(one.factor, one.score, checked_log(one.log, here, f"{at}/log").value()))
    return tuple(found)


def checked_verdicts(sent: Sequence[WireVerdict] | None, here: Services, at: str) -> tuple[Verdict, ...]:
    """Verdicts that a caller brings, in the list at the pointer `at`. Raises InvalidRequest unless each is of a
    factor of this service, on its scale, with all scores inside it: they go into prompts and means as they are."""
    faults = [fault for index, one in enumerate(sent or ()) for fault in _faults(one, here, f"{at}/{index}")]
    if faults:
        first = faults[0]
        raise InvalidRequest(f"{first.pointer}: {first.detail}", errors=faults[:MOST])
    return tuple(verdict.value() for verdict in sent or ())


def _faults(verdict: MemberVerdict, here: Services, at: str) -> Iterator[FieldError]:
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
    for index, member in enumerate((verdict.panel if isinstance(verdict, WireVerdict) else None) or ()):
        if member.factor != verdict.factor:
            fix = f"send what the panel said of {verdict.factor}"
            yield FieldError(f"{at}/panel/{index}/factor", "not the factor of the panel", fix)
        else:
            yield from _faults(member, here, f"{at}/panel/{index}")


def checked_log(log: Log, here: Services, at: str = "/log") -> Log:
    """The log, within this deployment's limits."""
    count = len(log.messages) + len(log.history or ())
    if count > here.limits.messages:
        fix = "cut the log, or have the operator raise CRS_EVAL_MAX_MESSAGES"
        raise InvalidRequest.at(
            f"{at}/messages", f"{count} messages with history, where {here.limits.messages} are allowed", fix
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
