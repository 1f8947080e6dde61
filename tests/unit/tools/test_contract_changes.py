"""Changes of a released contract: additions pass, removals are found."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools import contract_changes
from tools.contract_changes import TODAY, breaks, released

CONTRACT: dict[str, Any] = json.loads(TODAY.read_text())
Change = Callable[[dict[str, Any]], None]


def schemas(contract: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = contract["components"]["schemas"]
    return found


def test_there_is_a_released_contract() -> None:
    assert released()


@pytest.mark.parametrize("version", released())
def test_today_breaks_no_client_of_a_release(version: str) -> None:
    assert breaks(released()[version], CONTRACT) == []


def a_route(contract: dict[str, Any]) -> None:
    contract["paths"]["/more"] = contract["paths"]["/score"]


def a_field_of_an_answer(contract: dict[str, Any]) -> None:
    verdict = schemas(contract)["ScoreAnswer"]
    verdict["properties"]["more"] = {"type": "string"}
    verdict["required"].append("more")


def a_field_of_a_request(contract: dict[str, Any]) -> None:
    schemas(contract)["ScoreRequest"]["properties"]["more"] = {"type": "string"}


def a_wider_bound(contract: dict[str, Any]) -> None:
    schemas(contract)["Log"]["properties"]["messages"]["maxItems"] *= 2


def a_value_of_a_request(contract: dict[str, Any]) -> None:
    schemas(contract)["CacheMode"]["enum"].append("more")


def a_description(contract: dict[str, Any]) -> None:
    schemas(contract)["Verdict"]["description"] = "Another."


@pytest.mark.parametrize(
    "change",
    [a_route, a_field_of_an_answer, a_field_of_a_request, a_wider_bound, a_value_of_a_request, a_description],
)
def test_additions_break_nothing(change: Change) -> None:
    later = copy.deepcopy(CONTRACT)
    change(later)
    assert breaks(CONTRACT, later) == []


def without_a_route(contract: dict[str, Any]) -> None:
    del contract["paths"]["/compare"]


def without_a_field(contract: dict[str, Any]) -> None:
    del schemas(contract)["Verdict"]["properties"]["rationale"]


def without_a_field_of_a_request(contract: dict[str, Any]) -> None:
    del schemas(contract)["ScoreRequest"]["properties"]["factors"]


def a_field_that_may_be_absent(contract: dict[str, Any]) -> None:
    schemas(contract)["ScoreAnswer"]["required"].remove("summaries")


def a_field_that_may_be_null(contract: dict[str, Any]) -> None:
    overall = schemas(contract)["DebateAnswer"]["properties"]["overall"]
    overall["type"] = ["number", "null"]


def another_type(contract: dict[str, Any]) -> None:
    schemas(contract)["ScoreAnswer"]["properties"]["comparison_key"]["type"] = "integer"


def a_required_field(contract: dict[str, Any]) -> None:
    schemas(contract)["ScoreRequest"].setdefault("required", []).append("judge")


def a_narrower_bound(contract: dict[str, Any]) -> None:
    schemas(contract)["Log"]["properties"]["messages"]["maxItems"] = 10


def without_a_value(contract: dict[str, Any]) -> None:
    schemas(contract)["CacheMode"]["enum"].remove("only")


def without_lines(contract: dict[str, Any]) -> None:
    del contract["paths"]["/batch"]["post"]["requestBody"]["content"]["application/x-ndjson"]


def a_required_header(contract: dict[str, Any]) -> None:
    contract["paths"]["/batch"]["post"]["parameters"][0]["required"] = True
    contract["paths"]["/batch"]["post"]["parameters"][0]["name"] = "Another"


def without_a_status(contract: dict[str, Any]) -> None:
    del contract["paths"]["/score"]["post"]["responses"]["422"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without_a_route, "POST /compare is gone"),
        (without_a_field, "Verdict/rationale is gone"),
        (without_a_field_of_a_request, "ScoreRequest/factors is gone"),
        (a_field_that_may_be_absent, "ScoreAnswer/summaries may now be absent"),
        (a_field_that_may_be_null, "DebateAnswer/overall may now be null"),
        (another_type, "ScoreAnswer/comparison_key may now be integer"),
        (a_required_field, "ScoreRequest requires judge"),
        (a_narrower_bound, "Log/messages has a narrower maxItems"),
        (without_a_value, "ScoreRequest/cache no longer takes only"),
        (without_lines, "POST /batch no longer takes application/x-ndjson"),
        (a_required_header, "POST /batch requires Another"),
        (without_a_status, "POST /score no longer answers 422"),
    ],
)
def test_removals_are_found(change: Change, said: str) -> None:
    later = copy.deepcopy(CONTRACT)
    change(later)
    assert any(one.startswith(said) for one in breaks(CONTRACT, later)), breaks(CONTRACT, later)


def test_a_candidate_is_renewed_and_what_is_published_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(contract_changes, "RELEASED", tmp_path)
    kept = tmp_path / f"{CONTRACT['info']['version']}.json"
    kept.write_text(json.dumps({**CONTRACT, "paths": {}}))
    monkeypatch.setattr(contract_changes, "tagged", lambda _: True)
    assert contract_changes.main() == 1
    assert "raise the version" in capsys.readouterr().err
    assert released_paths(kept) == {}
    monkeypatch.setattr(contract_changes, "tagged", lambda _: False)
    assert contract_changes.main() == 0
    assert released_paths(kept) == CONTRACT["paths"]
    monkeypatch.setattr(contract_changes, "tagged", lambda _: True)
    assert contract_changes.main() == 0  # nothing changed


def test_an_earlier_release_is_not_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract_changes, "RELEASED", tmp_path)
    earlier = copy.deepcopy(CONTRACT)
    earlier["paths"]["/gone"] = earlier["paths"]["/score"]
    (tmp_path / "0.9.0.json").write_text(json.dumps(earlier))
    assert contract_changes.main() == 1
    assert [path.name for path in tmp_path.iterdir()] == ["0.9.0.json"]


def released_paths(path: Path) -> Any:
    return json.loads(path.read_text())["paths"]
