"""Every file of a factor and of a role must do the same: the service lists it, docs and help know it. A role's score is the
weighted mean of its own factors, as worked by hand."""

import json
from collections.abc import Mapping
from functools import cache

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from service.cli.program import app
from service.debate.embedded import EmbeddedDebater
from service.debate.roles import DebateRole, load_roles
from service.debate.statement import Floor, Matter, Statement
from service.domain.completion import Call
from service.domain.rubric import Factor, Protocol
from service.factors import load_factors
from service.judges.embedded.judge import RULED
from service.judges.embedded.rules.replies import LOSSES
from service.judges.embedded.verdicts.rows import ROWS
from service.judges.inquiry import Case
from tests.api.conftest import ROOT
from tests.unit.debate.scripted import log, verdict
from tools.factors_page import DEBATE, PAGE, debate_page, factors_page

FACTORS = load_factors()
ROLES: Mapping[str, DebateRole] = load_roles(FACTORS)
TINY = 1e-9
GOLDEN = {
    Protocol.CORE: "builtin_verdicts.json",
    Protocol.CONCEPT: "protocol_verdicts.json",
    Protocol.PEPPER: "protocol_verdicts.json",
    Protocol.IEVALM: "protocol_verdicts.json",
}


@pytest.fixture(params=FACTORS)
def factor(request: pytest.FixtureRequest) -> Factor:
    return FACTORS[request.param]


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> DebateRole:
    return ROLES[request.param]


@cache
def help_of(command: str) -> str:
    output = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, [command, "--help"]).output
    return "".join(output.replace("│", "").split())


def test_a_factor_is_found_by_its_file_and_listed(client: TestClient, factor: Factor) -> None:
    files = {file.stem for file in (ROOT / "service" / "factors").glob("*/*.toml")}
    assert files == set(FACTORS)
    shown = client.get(f"/factors/{factor.slug}").json()
    assert (shown["slug"], shown["definition"]) == (factor.slug, factor.definition)
    assert [level["level"] for level in shown["levels"]] == list(factor.scale.levels)[::-1]


def test_a_factor_names_the_rules_that_bear_on_it(client: TestClient, factor: Factor) -> None:
    rules = client.get(f"/factors/{factor.slug}").json()["builtin_rules"]
    judged = factor.slug in ROWS and ROWS[factor.slug].of_replies is not None
    assert bool(rules) is judged
    assert [rule["points"] for rule in rules] == sorted((rule["points"] for rule in rules), reverse=True)
    assert all(LOSSES[rule["rule"]] == (rule["points"], rule["tells"]) for rule in rules)


def test_docs_and_help_know_a_factor(factor: Factor) -> None:
    # Its row among the factors comes first, then those of what it reads otherwise than its paper.
    row = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{factor.slug}` |"))
    assert " ".join(factor.definition.split()) in row
    assert f"{factor.scale.min} to {factor.scale.max}" in row
    assert all(factor.slug in help_of(command) for command in ("score", "evaluate", "simulate"))


def test_a_factor_has_frozen_verdicts_or_no_rule(factor: Factor) -> None:
    held = json.loads((ROOT / "tests" / "golden" / GOLDEN[factor.protocol]).read_text())["answers"]
    assert all((factor.slug in answers) is (factor.slug in RULED) for answers in held.values())


def test_a_ladder_gives_every_level_at_its_own_bound(factor: Factor) -> None:
    for ladder in factor.ladders.values():
        inwards = -TINY if ladder.falling else TINY
        for step in ladder.steps:
            inside = step.bound if step.inclusive else step.bound + inwards
            outside = step.bound - inwards if step.inclusive else step.bound
            assert ladder.level(inside) == step.level
            assert ladder.level(outside) < step.level


def test_docs_and_choices_know_a_role(client: TestClient, role: DebateRole) -> None:
    files = {file.stem for file in (ROOT / "service" / "debate" / "roles").glob("*.toml")}
    assert files == set(ROLES)
    assert role.slug in client.get("/choices").json()["roles"]
    (row,) = [line for line in DEBATE.read_text().splitlines() if line.startswith(f"| `{role.slug}` |")]
    assert all(f"`{slug}`" in row for slug in role.factors)
    assert role.title in row


async def test_a_role_speaks_from_its_own_factors_by_their_weights(role: DebateRole) -> None:
    # The best of its first factor and the worst of the others: 100 * weight of the first / weights of all.
    first, *others = role.factors
    weights = {slug: role.weight(slug) for slug in role.factors}
    share = weights[first] / sum(weights.values())
    assert await opening(role, {first: True, **dict.fromkeys(others, False)}) == round(100 * share)
    assert await opening(role, dict.fromkeys(role.factors, True)) == 100
    assert await opening(role, dict.fromkeys(role.factors, False)) == 0


async def opening(role: DebateRole, best: Mapping[str, bool]) -> int:
    """The score that a role opens with. Its factors are at the best or the worst end of their scales, and all others at the worst."""
    verdicts = [
        verdict(slug, factor.scale.max if best.get(slug) else factor.scale.min)
        for slug, factor in FACTORS.items()
    ]
    said = await EmbeddedDebater().speak(
        Floor(role, (role,), Matter.of(Case(log()), verdicts, FACTORS)), Call()
    )
    assert isinstance(said, Statement)
    return int(said.score)


def test_the_docs_are_as_the_files_are() -> None:
    assert PAGE.read_text() == factors_page(), "run `make generate`"
    assert DEBATE.read_text() == debate_page(), "run `make generate`"
