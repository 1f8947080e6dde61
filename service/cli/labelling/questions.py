"""Factors as questions to people, in the words in which a judge reads them."""

from collections.abc import Sequence

from ...domain.rubric import Factor, Need
from ..inputs import Json
from ..names import check_names, factors_here


def asked_factors(names: Sequence[str]) -> list[Factor]:
    """The factors that these names say, protocols in full. Raises CommandError for an unknown one."""
    known = factors_here()
    protocols = {protocol.value: known.of(protocol) for protocol in known.protocols}
    check_names("factor or protocol", names, [*protocols, *known])
    wanted = [factor for name in names for factor in (protocols.get(name) or (known[name],))]
    return list({factor.slug: factor for factor in wanted}.values())


def question(factor: Factor) -> Json:
    """The factor as the sheet asks for it, its levels from the best down."""
    return {
        "slug": factor.slug,
        "name": factor.name,
        "question": factor.definition,
        "levels": [{"level": level, "standard": text} for level, text in factor.levels.items()],
        "steps": list(factor.steps),
        "excludes": list(factor.excludes),
        "notes": dict(factor.notes),
    }


def reads(factors: Sequence[Factor], need: Need) -> bool:
    """Return whether one of the factors is judged by this part of a log."""
    return any(need in (*factor.needs, *factor.uses) for factor in factors)
