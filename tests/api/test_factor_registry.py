"""Every file of a factor and of a role must do the same: the service lists it, docs and help know it."""

from collections.abc import Mapping

import pytest
from starlette.testclient import TestClient

from service.debates.embedded import role_scores
from service.debates.roles import DebateRole, load_roles
from service.debates.statement import DebateSubject
from service.domain.rubric import Factor, Protocol
from service.factors import load_factors
from service.faults import load_faults
from service.judges.evaluation import JudgeInput
from tests.api.conftest import ROOT
from tests.api.posting import help_of
from tests.unit.debates.scripted import log, verdict
from tools.registry_pages import DEBATE_PAGE, FACTORS_PAGE, registry_page

FACTORS = load_factors()
ROLES: Mapping[str, DebateRole] = load_roles(FACTORS)


@pytest.fixture(params=FACTORS)
def factor(request: pytest.FixtureRequest) -> Factor:
    return FACTORS[request.param]


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> DebateRole:
    return ROLES[request.param]


def test_a_factor_is_found_by_its_file_and_listed(client: TestClient, factor: Factor) -> None:
    files = {file.stem for file in (ROOT / "service" / "factors").glob("*/*.toml")}
    assert files == set(FACTORS)
    shown = client.get(f"/factors/{factor.slug}").json()
    assert (shown["slug"], shown["definition"]) == (factor.slug, factor.definition)
    assert [level["level"] for level in shown["levels"]] == list(factor.scale.levels)[::-1]


def test_a_factor_names_the_faults_that_bear_on_it(client: TestClient, factor: Factor) -> None:
    rules = client.get(f"/factors/{factor.slug}").json()["builtin_rules"]
    points = [rule["points"] for rule in rules]
    assert points == sorted(points, reverse=True)
    if factor.protocol is Protocol.CORE:
        costs = {
            fault.slug: fault.costs[factor.slug]
            for fault in load_faults().values()
            if factor.slug in fault.costs
        }
        assert {rule["rule"]: rule["points"] for rule in rules} == costs


def test_docs_and_help_know_a_factor(factor: Factor) -> None:
    # Its row among the factors comes first, then those of what it reads otherwise than its paper.
    row = next(
        line for line in FACTORS_PAGE.read_text().splitlines() if line.startswith(f"| `{factor.slug}` |")
    )
    assert " ".join(factor.definition.split()) in row
    assert f"{factor.scale.min} to {factor.scale.max}" in row
    assert all(factor.slug in help_of(command) for command in ("score", "evaluate", "simulate"))


def test_docs_and_choices_know_a_role(client: TestClient, role: DebateRole) -> None:
    files = {file.stem for file in (ROOT / "service" / "debates" / "roles").glob("*.toml")}
    assert files == set(ROLES)
    assert role.slug in client.get("/choices").json()["roles"]
    (row,) = [line for line in DEBATE_PAGE.read_text().splitlines() if line.startswith(f"| `{role.slug}` |")]
    assert all(f"`{slug}`" in row for slug in role.factors)
    assert role.title in row


def test_a_role_speaks_from_its_own_factors(role: DebateRole) -> None:
    # A role is above another by the share that its own factors are better.
    other = DebateRole("other", "Other", "You rate.", ("concept-manner",))
    verdicts = [verdict(slug, FACTORS[slug].scale.max) for slug in role.factors]
    verdicts.append(verdict("concept-manner", FACTORS["concept-manner"].scale.min))
    scores = role_scores((role, other), DebateSubject.of(JudgeInput(log()), verdicts, FACTORS))
    assert scores[role.slug] >= scores["other"]


def test_the_docs_are_as_the_files_are() -> None:
    assert FACTORS_PAGE.read_text() == registry_page(FACTORS_PAGE), "run `make generate`"
    assert DEBATE_PAGE.read_text() == registry_page(DEBATE_PAGE), "run `make generate`"
