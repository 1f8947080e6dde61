"""Changes of a released contract: additions pass, removals are found."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tools import contract_changes
from tools.contract_changes import TODAY, breaks, released

CONTRACT: dict[str, Any] = json.loads(TODAY.read_text())


def changed(place: str, value: Any) -> dict[str, Any]:
    """The contract with another value, or with what a function makes of the value, at a place; without it for `...`."""
    later = copy.deepcopy(CONTRACT)
    *path, last = (0 if name == "0" else name for name in place.split())
    held: Any = later if path[0] in later else later["components"]["schemas"]
    for name in path:
        held = held[name]
    if value is ...:
        del held[last]
    else:
        held[last] = value(held[last]) if callable(value) else value
    return later


@pytest.mark.parametrize("version", released())
def test_today_breaks_no_client_of_a_release(version: str) -> None:
    assert breaks(released()[version], CONTRACT) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("paths /more", CONTRACT["paths"]["/score"]),
        ("ScoreAnswer properties more", {"type": "string"}),
        ("ScoreRequest properties more", {"type": "string"}),
        ("Log properties messages maxItems", lambda most: 2 * most),
        ("CacheMode enum", lambda known: [*known, "more"]),
        ("Verdict description", "Another."),
    ],
)
def test_additions_break_nothing(place: str, value: Any) -> None:
    assert breaks(CONTRACT, changed(place, value)) == []


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("paths /compare", ..., "POST /compare is gone"),
        ("Verdict properties rationale", ..., "Verdict/rationale is gone"),
        ("ScoreRequest properties factors", ..., "ScoreRequest/factors is gone"),
        (
            "ScoreAnswer required",
            lambda known: [one for one in known if one != "summaries"],
            "ScoreAnswer/summaries may now be absent",
        ),
        ("DebateAnswer properties overall type", ["number", "null"], "DebateAnswer/overall may now be null"),
        ("ScoreAnswer properties comparison_key type", "integer", "ScoreAnswer/comparison_key may now be"),
        ("ScoreRequest required", ["log", "judge"], "ScoreRequest requires judge"),
        ("Log properties messages maxItems", 10, "Log/messages has a narrower maxItems"),
        ("CacheMode enum", lambda known: [*known[:-1]], "ScoreRequest/cache no longer takes only"),
        ("paths /batch post requestBody content application/x-ndjson", ..., "POST /batch no longer takes"),
        (
            "paths /batch post parameters 0",
            lambda one: {**one, "required": True, "name": "Another"},
            "POST /batch requires Another",
        ),
        ("paths /score post responses 422", ..., "POST /score no longer answers 422"),
    ],
)
def test_removals_are_found(place: str, value: Any, said: str) -> None:
    found = breaks(CONTRACT, changed(place, value))
    assert any(one.startswith(said) for one in found), found


def test_a_candidate_is_renewed_and_what_is_published_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def paths() -> Any:
        return json.loads(kept.read_text())["paths"]

    monkeypatch.setattr(contract_changes, "RELEASED", tmp_path)
    kept = tmp_path / f"{CONTRACT['info']['version']}.json"
    kept.write_text(json.dumps({**CONTRACT, "paths": {}}))
    for tagged, code, written in ((True, 1, {}), (False, 0, CONTRACT["paths"]), (True, 0, CONTRACT["paths"])):
        monkeypatch.setattr(contract_changes, "tagged", lambda _, tagged=tagged: tagged)
        assert (contract_changes.main(), paths()) == (code, written)


def test_an_earlier_release_is_not_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract_changes, "RELEASED", tmp_path)
    earlier = copy.deepcopy(CONTRACT)
    earlier["paths"]["/gone"] = earlier["paths"]["/score"]
    (tmp_path / "0.9.0.json").write_text(json.dumps(earlier))
    assert contract_changes.main() == 1
    assert [path.name for path in tmp_path.iterdir()] == ["0.9.0.json"]
