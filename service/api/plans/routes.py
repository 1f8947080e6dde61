"""The judges of each factor: those that the request names, else the operator's."""

from collections.abc import Iterator, Mapping, Sequence

from ...domain.rubric import Factor
from ...domain.verdict import JudgeName
from ...errors import InvalidRequest
from ...scoring.panel import Aggregate, Panel, Route
from ..services import Services
from ..wire.score import FactorScoreRequest, ScoreRequest
from .ways import check_slugs, escaped

ONE_OR_MORE = "name one judge as `judge`, or several as `panel`"


def plan_routes(body: FactorScoreRequest, factors: Sequence[Factor], here: Services) -> dict[str, Route]:
    """The judge or the panel of each factor. What is said of one factor goes before a mixture, and that before `judge` or
    `panel`. Raises InvalidRequest for judges that cannot be had, and for what contradicts itself."""
    aggregate = body.aggregate or Aggregate.MEAN
    whole = _whole(body, aggregate, here)
    own = dict(_own(body, aggregate, here)) if isinstance(body, ScoreRequest) else {}
    if body.aggregate is not None and not any(isinstance(route, Panel) for route in (whole, *own.values())):
        raise InvalidRequest.at("/aggregate", "there is no panel", f"{ONE_OR_MORE}, or leave it out")
    mixed = _mixed(body, factors, here) if isinstance(body, ScoreRequest) else {}
    return {
        factor.slug: own.get(factor.slug) or mixed.get(factor.slug) or whole or here.judges.of(factor)
        for factor in factors
    }


def _whole(body: FactorScoreRequest, aggregate: Aggregate, here: Services) -> Route | None:
    """The judge or the panel of all factors that nothing else is said of."""
    if body.panel is not None:
        if body.judge is not None:
            raise InvalidRequest.at("/panel", "`panel` does not go with `judge`", ONE_OR_MORE)
        return _panel(body.panel, aggregate, here, "/panel")
    return None if body.judge is None else here.judges.at_hand(body.judge, "/judge")


def _own(body: ScoreRequest, aggregate: Aggregate, here: Services) -> Iterator[tuple[str, Route]]:
    """The judge or the panel that is named for a single factor."""
    judges, panels = body.factor_judges or {}, body.factor_panels or {}
    check_slugs(judges, here.factors, "/factor_judges")
    check_slugs(panels, here.factors, "/factor_panels")
    for slug, judge in judges.items():
        yield slug, here.judges.at_hand(judge, f"/factor_judges/{escaped(slug)}")
    for slug, members in panels.items():
        pointer = f"/factor_panels/{escaped(slug)}"
        if slug in judges:
            raise InvalidRequest.at(pointer, f"{slug} is in `factor_judges` too", "leave one of the two out")
        yield slug, _panel(members, aggregate, here, pointer)


def _panel(members: Sequence[str], aggregate: Aggregate, here: Services, pointer: str) -> Panel:
    """Several judges. Raises InvalidRequest for one that stands there twice."""
    names: list[JudgeName] = []
    for index, member in enumerate(members):
        name = here.judges.at_hand(member, f"{pointer}/{index}")
        if name in names:
            fix = "name it once; to ask a model several times, send `samples`"
            raise InvalidRequest.at(f"{pointer}/{index}", f"{name} is in the panel already", fix)
        names.append(name)
    return Panel(tuple(names), aggregate)


def _mixed(body: ScoreRequest, factors: Sequence[Factor], here: Services) -> Mapping[str, JudgeName]:
    """The judges of the mixture that is named, for the factors that it covers and nothing else is said of."""
    told = body.mixture.judges if body.mixture is not None else {}
    named = {*(body.factor_judges or {}), *(body.factor_panels or {})}
    found = {one.slug: told[one.slug] for one in factors if one.slug in told and one.slug not in named}
    for slug, name in found.items():
        try:
            here.judges.at_hand(str(name), "/mixture")
        except InvalidRequest as unknown:
            detail = f"{slug} goes to {name}: {unknown.errors[0].detail}"
            fix = "have the operator set it up (docs/mixture-of-evaluators.md), or name your own models in `factor_judges`"
            raise InvalidRequest.at("/mixture", detail, fix) from None
    return found
