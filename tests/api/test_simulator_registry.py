"""Every kind of simulated user in the folder of kinds must do the same: its example comes out as it was followed by hand. It
knows what it says and nothing else, and contract, page, docs and help know it."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.simulators.asker import PROMPTS
from service.simulators.kind import Kind
from service.simulators.kinds import kinds
from tests.api import posting
from tests.api.conftest import ROOT
from tests.api.posting import help_of
from tests.api.simulating import MODEL
from tools.generate import PAGE_REGISTRIES, page_registries
from tools.registry_pages import SIMULATORS_PAGE, registry_page

Json = dict[str, Any]


@pytest.fixture(params=kinds())
def kind(request: pytest.FixtureRequest) -> Kind:
    return kinds()[request.param]


def test_a_kind_is_found_by_its_module(kind: Kind) -> None:
    modules = {file.stem for file in (ROOT / "service" / "simulators" / "kinds").glob("*.py")} - {"__init__"}
    assert modules == {name.replace("-", "_") for name in kinds()}
    assert kind.says[-1] not in ".\n"
    assert kind.example.worked[-1] == "."


def test_its_example_comes_out_as_it_was_followed_by_hand(simulations: TestClient, kind: Kind) -> None:
    answer = answered(simulations, kind, kind.example.log)
    assert kind.example.answer
    assert {name: answer[name] for name in kind.example.answer} == kind.example.answer
    assert not MODEL.lines, "the example has answers that nobody asked for"
    assert not any(flag["code"] == "simulator_fallback" for flag in answer["flags"])


def test_its_settings_are_its_own(simulations: TestClient, kind: Kind) -> None:
    fields = json.loads((ROOT / "openapi" / "openapi.json").read_text())["components"]["schemas"][
        "Simulator"
    ]["properties"]
    assert kind.takes < set(fields)
    for name in sorted(set(fields) - {"type"} - kind.takes):
        response = simulations.post(
            "/simulate",
            json={
                "simulator": {"type": kind.name, name: 1 if name != "judge" else "fake:m"},
                "log": kind.example.log,
            },
        )
        assert (response.status_code, response.json()["errors"][0]["pointer"]) == (422, f"/simulator/{name}")
    for name, setting in kind.settings.items():
        whole = next(part for part in fields[name]["anyOf"] if part["type"] == "integer")
        assert setting.least <= setting.default <= setting.most
        assert (whole["minimum"], whole["maximum"]) == (setting.least, setting.most)
        assert f"`{kind.name}`" in fields[name]["description"]
        assert str(setting.default) in fields[name]["description"]


def test_a_seed_and_a_temperature_have_an_effect(simulations: TestClient, kind: Kind) -> None:
    def said(**more: Any) -> tuple[Any, ...]:
        MODEL.asked_at = (None, None)
        answer = answered(simulations, kind, kind.example.log, **more)
        return MODEL.asked_at, answer["message"], json.dumps(answer["paraphrases"])

    for name, values in (("seed", range(12)), ("temperature", (0, 0.3, 1, 2))):
        assert len({said(**{"seed": 3, name: value}) for value in values}) > 1, f"{kind.name}: {name}"


def test_nothing_else_of_a_log_reaches_a_prompt_or_its_answer(simulations: TestClient, kind: Kind) -> None:
    before = (answered(simulations, kind, SECRETS | kind.example.log), list(MODEL.prompts))
    for name, secret in hidden(kind.example.log):
        after = (answered(simulations, kind, secret), list(MODEL.prompts))
        assert (after == before) or name in kind.knows, f"{kind.name} knows {name}, and does not say so"


def test_its_example_has_an_answer_to_each_prompt(simulations: TestClient, kind: Kind) -> None:
    answered(simulations, kind, kind.example.log)
    assert len(MODEL.prompts) == len(kind.example.answers)


def test_each_file_of_a_prompt_is_asked_with() -> None:
    code = "".join(file.read_text() for file in PROMPTS.parent.rglob("*.py"))
    assert [file.stem for file in PROMPTS.glob("*.txt") if f'"{file.stem}"' not in code] == []


def test_contract_page_docs_and_help_know_it(kind: Kind) -> None:
    contract = json.loads((ROOT / "openapi" / "openapi.json").read_text())
    assert contract["components"]["schemas"]["SimulatorType"]["enum"] == list(kinds())
    assert f"| `{kind.name}` | {kind.says} |" in SIMULATORS_PAGE.read_text()
    assert f"| `{kind.name}` | {kind.example.worked} |" in SIMULATORS_PAGE.read_text()
    for name in kind.settings:
        assert f"`{name}`" in next(
            line
            for line in SIMULATORS_PAGE.read_text().splitlines()
            if line.startswith(f"| `{kind.name}` | {kind.says}")
        )
    talks = kind.build is not None
    assert (f'"type": "{kind.name}"' in PAGE_REGISTRIES.read_text()) is talks
    assert ("".join(f"{kind.name}: {kind.says}".split()) in help_of("simulate")) is talks


def test_docs_and_page_are_as_the_registry_is() -> None:
    assert SIMULATORS_PAGE.read_text() == registry_page(SIMULATORS_PAGE), "run `make generate`"
    assert PAGE_REGISTRIES.read_text() == page_registries(), "run `make generate page`"


SECRETS: Json = {"domain": "movie"}


def hidden(log: Json) -> Iterator[tuple[str, Json]]:
    """The log, each time with another field that nothing else of it tells."""
    if "ground_truth" not in log:
        yield "ground_truth", {**SECRETS, **log, "ground_truth": ["Zebra Parade (1988)"]}
    items = [
        {"title": title, "description": "Zebra."} for title in ("Heat (2001)", *log.get("ground_truth", ()))
    ]
    yield "items", {**SECRETS, **log, "items": [*log.get("items", ()), *items]}
    user = log.get("user", {})
    for name, value in {
        "persona": "Boredom",
        "persona_description": "A zebra.",
        "age_group": "Seniors",
        "attributes": ["zebra"],
        "preferences": "Zebras above all.",
        "seen": [{"item": "Paper Comets (2015)", "review": "Zebra."}],
    }.items():
        yield f"user.{name}", {**SECRETS, **log, "user": {**user, name: value}}


def answered(simulations: TestClient, kind: Kind, log: Json, **more: Any) -> Json:
    """The answer to the example's request, of this log, with `more` settings."""
    MODEL.lines = [*copy.deepcopy(kind.example.answers)]
    MODEL.prompts.clear()
    simulator = {"type": kind.name, **kind.example.settings, **more}
    if kind.example.answers:
        simulator["judge"] = "fake:model"
    return posting.answered(simulations, path="/simulate", simulator=simulator, log=log)
