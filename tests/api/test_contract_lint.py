"""The contract says what each of its parts is, and linters of OpenAPI find nothing in it."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.npm_linters import DOCUMENTS, contract_faults
from tools.service_process import ROOT
from tools.toolchains import linters

CONTRACT: dict[str, Any] = json.loads((ROOT / "openapi" / "openapi.json").read_text())
SCHEMAS: dict[str, Any] = {
    name: schema
    for path in DOCUMENTS
    for name, schema in json.loads(path.read_text())["components"]["schemas"].items()
}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_property_is_described(document: Path) -> None:
    bare = [
        f"{model}.{name}"
        for model, schema in json.loads(document.read_text())["components"]["schemas"].items()
        for name, member in schema.get("properties", {}).items()
        if not member.get("description")
    ]
    assert bare == []


def test_no_description_is_of_a_model_that_there_is_not() -> None:
    texts = tomllib.loads((ROOT / "service/api/properties.toml").read_text())
    for model, members in texts.items():
        if model != "every":
            assert set(members) <= set(SCHEMAS[model]["properties"]), model


def test_scores_come_first_and_every_tag_has_a_text() -> None:
    assert next(iter(CONTRACT["paths"])) == "/score"
    used = {
        tag for path in CONTRACT["paths"].values() for operation in path.values() for tag in operation["tags"]
    }
    assert {tag["name"]: bool(tag["description"]) for tag in CONTRACT["tags"]} == dict.fromkeys(used, True)


def test_linters_find_nothing(have: Callable[[Callable[[], Path]], Path], tmp_path: Path) -> None:
    have(linters)
    assert {path.name for path in DOCUMENTS} == {"live.json", "openapi.json"}
    assert contract_faults() == []
    for document in DOCUMENTS:
        broken = tmp_path / document.name
        contract = json.loads(document.read_text())
        del contract["info"]["contact"], contract["servers"]
        broken.write_text(json.dumps(contract))
    assert len(contract_faults(*tmp_path.glob("*.json"))) == 2


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_open_routes_say_that_they_are(path: str) -> None:
    assert CONTRACT["paths"][path]["get"]["security"] == []
