"""The shipped roles and factors, and matters made of plain scores."""

from collections.abc import Mapping

import pytest

from service.debate.roles import DebateRole, default_roles, load_roles
from service.debate.statement import Matter
from service.factors import FactorCatalogue, load_factors
from service.judges.inquiry import Case
from tests.unit.debate.scripted import MatterOf, log, verdict


@pytest.fixture(scope="session")
def factors() -> FactorCatalogue:
    return load_factors()


@pytest.fixture(scope="session")
def shipped(factors: FactorCatalogue) -> Mapping[str, DebateRole]:
    return load_roles(factors)


@pytest.fixture(scope="session")
def roles(shipped: Mapping[str, DebateRole]) -> tuple[DebateRole, ...]:
    return default_roles(shipped)


@pytest.fixture(scope="session")
def matter_of(factors: FactorCatalogue) -> MatterOf:
    def make(scores: Mapping[str, float | None] | float = 2, domain: str = "movie") -> Matter:
        wanted = scores if isinstance(scores, Mapping) else dict.fromkeys(factors, scores)
        verdicts = [verdict(slug, score) for slug, score in wanted.items()]
        return Matter.of(Case(log(domain)), verdicts, factors)

    return make
