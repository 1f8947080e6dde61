"""Ways in which a request wants its models asked, checked against the factors and this deployment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...domain.rubric import Factor, Judging
from ...errors import ConfigurationError, InvalidRequest
from ...factors import FactorCatalogue
from ...judges.inquiry import Inquiry
from ...scoring.panel import Route, members_of
from ..wire.score import FactorScoreRequest
from .judges import Judges

BUILTIN = "builtin"


@dataclass(frozen=True)
class Ways:
    """The way in which this deployment has models answer: `judging` unless `by_factor` says otherwise."""

    judging: Judging = Judging.RATING
    by_factor: Mapping[str, Judging] = field(default_factory=dict)

    def of(self, factor: Factor) -> Judging:
        """The deployment's way for a factor. Without a ladder it is rated."""
        wanted = self.by_factor.get(factor.slug, self.judging)
        return wanted if factor.itemised else Judging.RATING


def checked_ways(ways: Ways, factors: FactorCatalogue) -> Ways:
    """The ways of a deployment. Raises ConfigurationError for a factor that has no ladder."""
    for slug, judging in ways.by_factor.items():
        if judging is Judging.ITEMISED and not factors[slug].itemised:
            name = slug.upper().replace("-", "_")
            raise ConfigurationError(
                f"CRS_EVAL_JUDGING_{name}: {slug} has no ladder; {_with_ladders(factors.values())}"
            )
    return ways


def itemised_in(
    body: FactorScoreRequest,
    factors: Sequence[Factor],
    ways: Ways,
    routes: Mapping[str, Route],
    known: FactorCatalogue,
) -> frozenset[str]:
    """The factors on which models answer with lists. Raises InvalidRequest where a list is asked for and there is no ladder
    for it, or with `expected`."""
    own = body.factor_judging or {}
    check_slugs(own, known, "/factor_judging")
    found = set()
    for factor in factors:
        asked = own.get(factor.slug, body.judging)
        if asked is Judging.ITEMISED:
            pointer = f"/factor_judging/{factor.slug}" if factor.slug in own else "/judging"
            if factor.itemised is None:
                raise InvalidRequest.at(pointer, *_without_ladder(factor, known))
            if field := _of_a_level(body):
                fix = "leave one of the two out: the model gives a list and no level, and code finds it"
                raise InvalidRequest.at(f"/{field}", f"`{field}` does not go with `itemised`", fix)
            found.add(factor.slug)
        elif asked is None and not _of_a_level(body) and _models_alone(routes[factor.slug]):
            found |= {factor.slug} if ways.of(factor) is Judging.ITEMISED else set()
    return frozenset(found)


def check_slugs(slugs: Iterable[str], known: FactorCatalogue, pointer: str) -> None:
    """Raise InvalidRequest for a key of the object at `pointer` that is no factor."""
    for slug in slugs:
        if slug not in known:
            raise InvalidRequest.at(
                f"{pointer}/{escaped(slug)}", "no such factor", "GET /factors lists the slugs"
            )


def escaped(key: str) -> str:
    """A key of an object as a JSON Pointer names it."""
    return key.replace("~", "~0").replace("/", "~1")


def _models_alone(route: Route) -> bool:
    return all(name.name != BUILTIN for name in members_of(route))


def _of_a_level(body: FactorScoreRequest) -> str | None:
    """The field of a request that has a sense only where a model gives a level."""
    wanted = {"expected": body.expected, "examples": body.examples, "anchors": body.anchors}
    return next((field for field, value in wanted.items() if value), None)


def _without_ladder(factor: Factor, known: FactorCatalogue) -> tuple[str, str]:
    """The fault of a request that wants a list where nothing is counted, and its remedy."""
    remedy = f'have it rated (`"factor_judging": {{"{factor.slug}": "rating"}}`)'
    if factor.slug.startswith("custom-"):
        detail = f"{factor.slug} is a rubric of this request, and these have no ladder to climb"
        return detail, f"{remedy}, or have the operator add it as a file with one (docs/custom-factors.md)"
    return (
        f"{factor.slug} has no ladder to climb",
        f"{remedy}, or leave it out; {_with_ladders(known.values())}",
    )


def _with_ladders(factors: Iterable[Factor]) -> str:
    return f"these have one: {', '.join(factor.slug for factor in factors if factor.itemised)}"


def check_ways(inquiry: Inquiry, routes: Mapping[str, Route], judges: Judges) -> None:
    """Raise InvalidRequest where a judge cannot answer its factors in the way that is asked."""
    for factor in inquiry.factors:
        if inquiry.expected and factor.scale.max > 9:
            fix = "leave the factor or `expected` out"
            raise InvalidRequest.at("/expected", f"the levels of {factor.slug} have more than one digit", fix)
    readings = [factor.read_as(inquiry.variant) for factor in inquiry.factors]
    if inquiry.anchors and readings and not any(factor.anchors for factor in readings):
        fix = "ask for factors of CoRE in our own reading, which have some, or leave `anchors` out"
        raise InvalidRequest.at("/anchors", "none of these factors has worked examples", fix)
    for name in dict.fromkeys(name for route in routes.values() for name in members_of(route)):
        own = tuple(factor for factor in inquiry.factors if name in members_of(routes[factor.slug]))
        refusal = judges.get(name).refusal(replace(inquiry, factors=own))
        if refusal is not None:
            raise InvalidRequest.at(f"/{refusal.field}", refusal.detail, refusal.fix)
