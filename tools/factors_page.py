"""docs/factors.md, and the table of roles in docs/debate.md: what the files of factors and of roles say."""

from pathlib import Path

from service.debate.roles import DebateRole, load_roles
from service.domain.rubric import Factor
from service.factors import load_factors
from tools.marked_part import with_part

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "factors.md"
DEBATE = DOCS / "debate.md"


def factors_page() -> str:
    """The page of factors with its tables as the files are."""
    factors = load_factors().values()
    asks = [
        "| factor | protocol, dimension | scale | needs | what it asks |",
        "| --- | --- | --- | --- | --- |",
        *(_factor(factor) for factor in factors),
    ]
    departs = [
        "| factor | where it departs from its paper |",
        "| --- | --- |",
        *(f"| `{factor.slug}` | {told} |" for factor in factors for told in factor.deviations),
    ]
    return with_part(with_part(PAGE.read_text(), "factors", asks), "deviations", departs)


def debate_page() -> str:
    """The page of the debate with its table of roles as the files are."""
    roles = load_roles(load_factors())
    return with_part(
        DEBATE.read_text(),
        "roles",
        [
            "| role | who it is | answers for |",
            "| --- | --- | --- |",
            *(_role(role) for role in roles.values()),
        ],
    )


def _factor(factor: Factor) -> str:
    asks = " ".join(factor.definition.split())
    needs = ", ".join(need for need in factor.needs)
    group = ", ".join(filter(None, (factor.protocol, factor.dimension)))
    return f"| `{factor.slug}` | {group} | {factor.scale.min} to {factor.scale.max} | {needs} | {asks} |"


def _role(role: DebateRole) -> str:
    title = role.title if role.default else f"{role.title}, where a request names it"
    return f"| `{role.slug}` | {title} | {', '.join(f'`{slug}`' for slug in role.factors)} |"
