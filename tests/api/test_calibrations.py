"""`calibration` in requests: scores on people's scale, and what a map was not made for."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.domain.calibration import CalibrationMap as Map
from service.domain.calibration import Form, Knot
from service.domain.rubric import Scale
from service.domain.verdict import JudgeName
from service.errors import ConfigurationError
from service.settings import Settings
from service.telemetry.logging import configure_logging
from service.usecases.wire.calibration import CalibrationMap
from tests.api.posting import answered, refused

LOG = {
    "id": "s1",
    "system": "our-crs",
    "domain": "movie",
    "messages": [
        {"role": "user", "content": "Something tense, please, but no horror."},
        {"role": "assistant", "content": "You could watch Dust Hymnal (1969), a tense drama.", "recommendations": ["Dust Hymnal (1969)"]},
        {"role": "user", "content": "Sounds great, thank you!"},
    ],
}  # fmt: skip
KNOTS = (Knot(0, 1, 1, 3), Knot(4, 3, 2, 5))


@pytest.fixture(scope="module")
def maps() -> dict[str, Map]:
    """Maps of two factors, of their protocol and of debates, for the judge as it is today."""
    configure_logging("json", "error")
    with TestClient(create_app(Settings(workers=0))) as client:
        scored = client.post("/evaluate", json={"log": LOG, "factors": ["coherence", "naturalness"]}).json()
        plain = client.post("/score", json={"log": LOG, "factors": ["coherence", "naturalness"]}).json()
    made = {
        verdict["factor"]: map_of(verdict["factor"], verdict["evaluator_revision"])
        for verdict in scored["verdicts"]
    }
    key = scored["comparison_key"]
    made["core"] = replace(map_of("core", None), comparison_key=plain["comparison_key"])
    made["overall"] = replace(map_of("overall", None), judge_scale=Scale(0, 100), comparison_key=key)
    made["overall"] = replace(made["overall"], knots=(Knot(0, 1, 1, 3), Knot(100, 3, 2, 5)))
    return made


def map_of(factor: str, revision: str | None) -> Map:
    return Map(
        factor=factor,
        label=factor,
        judge=JudgeName("builtin"),
        evaluator_revision=revision,
        comparison_key=None,
        systems=("our-crs",),
        domains=("movie",),
        form=Form.LINE,
        judge_scale=Scale(0, 4),
        people_scale=Scale(1, 5),
        knots=KNOTS,
        n=60,
        error_before=1.0,
        error=0.5,
        level=0.9,
        coverage=0.9,
    )


def wire(*made: Map) -> list[dict[str, Any]]:
    return [CalibrationMap.of(one).model_dump(mode="json") for one in made]


@pytest.fixture(scope="module")
def client(maps: dict[str, Map], tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("calibrations")
    answer = {
        "means": [],
        "maps": wire(maps["coherence"], maps["naturalness"]),
        "created": "by the command line",
    }
    (folder / "shop.json").write_text(json.dumps(answer))
    with TestClient(
        create_app(Settings(calibrations=folder, workers=0)), raise_server_exceptions=False
    ) as client:
        yield client


def score(client: TestClient, path: str = "/score", status: int = 200, **body: Any) -> dict[str, Any]:
    asked = {"log": LOG, "factors": ["coherence"], **body}
    if path == "/score/coherence":
        del asked["factors"]
    return answered(client, status, path=path, **asked)


def expected(verdict: dict[str, Any]) -> dict[str, Any]:
    share = verdict["score"] / 4
    whole = share in {0, 1}
    low, high = ((1, 3) if share == 0 else (2, 5)) if whole else (1, 5)
    return {"score": pytest.approx(1 + 2 * share), "scale": {"min": 1, "max": 5}, "low": low, "high": high}


@pytest.mark.parametrize("choice", ["shop", {"name": "shop"}, None])
def test_verdicts_gain_their_score_on_peoples_scale(
    client: TestClient, maps: dict[str, Map], choice: object
) -> None:
    calibration = choice or {"maps": wire(maps["coherence"], maps["naturalness"])}
    answer = score(client, factors=["coherence", "naturalness", "proactiveness"], calibration=calibration)
    for verdict in answer["verdicts"][:2]:
        assert verdict["calibrated"] == expected(verdict)
    assert answer["verdicts"][2]["calibrated"] is None
    assert answer["summaries"][0]["calibrated"] is None, "a mean of mapped verdicts is no mapped mean"
    assert [notice["code"] for notice in answer["warnings"]] == ["not_calibrated"]
    assert "proactiveness" in answer["warnings"][0]["detail"]
    single = score(client, "/score/coherence", calibration=calibration)
    assert single["calibrated"] == answer["verdicts"][0]["calibrated"]


def test_the_hash_is_part_of_the_comparison_key(client: TestClient, maps: dict[str, Map]) -> None:
    other = replace(maps["coherence"], knots=(Knot(0, 1, 1, 3), Knot(4, 3.5, 2, 5)))
    keys = [
        score(client, calibration=calibration)["comparison_key"]
        for calibration in (None, {"maps": wire(maps["coherence"])}, {"maps": wire(other)})
    ]
    assert len(set(keys)) == 3
    assert score(client, calibration="shop")["comparison_key"] == keys[1], (
        "maps of other factors are not used"
    )


def test_summaries_and_debates_are_mapped_by_maps_of_their_own(
    client: TestClient, maps: dict[str, Map]
) -> None:
    factors = ["coherence", "naturalness"]
    answer = score(client, factors=factors, calibration={"maps": wire(maps["core"])})
    (summary,) = answer["summaries"]
    assert summary["calibrated"]["score"] == pytest.approx(1 + summary["mean"] / 2, abs=1e-3)
    assert [verdict["calibrated"] for verdict in answer["verdicts"]] == [None, None]
    whole = score(client, "/evaluate", factors=factors, calibration={"maps": wire(maps["overall"])})
    assert whole["debate"]["calibrated"]["score"] == pytest.approx(1 + whole["debate"]["overall"] / 50)
    problem = score(client, status=422, calibration={"maps": wire(maps["core"])})
    assert "comparison key" in problem["detail"]
    # Made without `scales`, from scores that reach no further.
    narrow = replace(maps["core"], judge_scale=Scale(0, 3), knots=(Knot(0, 1, 1, 3), Knot(3, 3, 2, 5)))
    answer = score(client, factors=factors, calibration={"maps": wire(narrow)})
    assert answer["summaries"][0]["calibrated"] is None
    (detail,) = (one["detail"] for one in answer["warnings"] if "map of core" in one["detail"])
    assert ("0 to 3" in detail, "0 to 4" in detail, "`scales`" in detail) == (True, True, True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"judge": JudgeName("openai", "gpt-x")}, "made for the judge openai:gpt-x, and builtin is asked"),
        ({"judge": JudgeName("builtin", "x")}, "made for the judge builtin:x, and builtin answered"),
        ({"evaluator_revision": "0123456789ab"}, "made for the judge's revision 0123456789ab, not for"),
        ({"evaluator_revision": None}, "made for the judge's revision an unknown one, not for"),
        ({"factor": "novelty"}, "made for novelty, and none of that is asked for"),
        ({"judge_scale": Scale(1, 5)}, "reads scores from 1 to 5, and the factor's scale is 0 to 4"),
        ({"systems": ("a", "b")}, "made from conversations of a, b, not of our-crs"),
        ({"domains": ("book",)}, "made from the domain book, not movie"),
    ],
)
@pytest.mark.parametrize("path", ["/score/coherence", "/evaluate"])
def test_what_a_map_was_not_made_for_is_refused_with_the_reason(
    client: TestClient, maps: dict[str, Map], change: dict[str, Any], said: str, path: str
) -> None:
    problem = score(client, path, 422, calibration={"maps": wire(replace(maps["coherence"], **change))})
    assert problem["errors"][0]["pointer"] == "/calibration"
    assert said in problem["detail"]
    if "revision" in said:
        assert problem["verdicts"][0]["factor"] == "coherence", "what was judged is not lost"


@pytest.mark.parametrize(
    "change", [{"evaluator_revision": "0123456789ab"}, {"systems": ("a",)}, {"domains": ("book",)}]
)
def test_who_insists_gets_a_flagged_score(
    client: TestClient, maps: dict[str, Map], change: dict[str, Any]
) -> None:
    made = wire(replace(maps["coherence"], **change))
    (verdict,) = score(client, calibration={"maps": made, "elsewhere": True})["verdicts"]
    assert verdict["calibrated"] == expected(verdict)
    (flag,) = [flag for flag in verdict["flags"] if flag["code"] == "calibration_elsewhere"]
    assert "The map of coherence was made" in flag["detail"]


def test_maps_of_summaries_and_debates_that_were_made_elsewhere_warn(
    client: TestClient, maps: dict[str, Map]
) -> None:
    strange = [
        replace(maps["core"], comparison_key="0123456789abcdef", systems=("a",)),
        replace(maps["overall"], comparison_key=None),
    ]
    calibration = {"maps": wire(*strange), "elsewhere": True}
    answer = score(client, "/evaluate", calibration=calibration)
    assert answer["summaries"][0]["calibrated"]
    assert answer["debate"]["calibrated"]
    details = [one["detail"] for one in answer["warnings"] if one["code"] == "calibration_elsewhere"]
    assert [detail.split(" was made from answers")[0] for detail in details] == [
        "The map of core",
        "The map of overall",
    ]
    assert "not of our-crs" in details[0]
    assert score(client, "/debate", calibration=calibration)["warnings"][-1]["detail"] == details[1]
    own = {"maps": wire(maps["core"]), "elsewhere": True}
    fitting = score(client, factors=["coherence", "naturalness"], calibration=own)
    assert [one["code"] for one in fitting["warnings"]] == ["not_calibrated"]


def test_another_judge_cannot_be_insisted_on(client: TestClient, maps: dict[str, Map]) -> None:
    made = wire(replace(maps["coherence"], judge=JudgeName("builtin", "x")))
    assert refused(client, log=LOG, factors=["coherence"], calibration={"maps": made, "elsewhere": True})


def test_of_several_judges_maps_the_fitting_one_is_used(client: TestClient, maps: dict[str, Map]) -> None:
    mine = maps["coherence"]
    other = replace(mine, judge=JudgeName("openai", "m"), knots=(Knot(0, 1, 1, 1), Knot(4, 1, 1, 1)))
    old = replace(mine, evaluator_revision="0123456789ab", knots=other.knots)
    (verdict,) = score(client, calibration={"maps": wire(other, old, mine)})["verdicts"]
    assert verdict["calibrated"] == expected(verdict)


@pytest.mark.parametrize(
    ("calibration", "pointer"),
    [
        ("shoe", "/calibration/name"),
        ({}, "/calibration"),
        ({"name": "shop", "maps": []}, "/calibration/maps"),
        ({"nam": "shop"}, "/calibration/nam"),
    ],
)
def test_unknown_names_are_refused(client: TestClient, calibration: object, pointer: str) -> None:
    assert refused(client, log=LOG, calibration=calibration)[0] == pointer


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n": 61}, "the hash does not belong to this map"),
        ({"knots": [{"score": 1, "value": 2, "low": None, "high": None}] * 2}, "the scores of the knots rise"),
        ({"knots": [{"score": 1, "value": 2, "low": None, "high": None}, {"score": 2, "value": 1, "low": None, "high": None}]}, "never fall"),
    ],
)  # fmt: skip
def test_maps_that_were_changed_by_hand_are_refused(
    client: TestClient, maps: dict[str, Map], change: dict[str, Any], said: str
) -> None:
    made = {**wire(maps["coherence"])[0], **change}
    assert said in answered(client, 422, log=LOG, calibration={"maps": [made]})["detail"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "shop.json: not JSON"),
        ('{"means": []}', "shop.json: /maps"),
        ('{"maps": [{"factor": 1}]}', "shop.json: /maps/0/factor"),
    ],
)
def test_a_broken_file_is_found_at_start_up(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "shop.json").write_text(content)
    with pytest.raises(ConfigurationError, match=said):
        create_app(Settings(calibrations=tmp_path))
    with pytest.raises(ConfigurationError, match="no such folder of calibrations"):
        create_app(Settings(calibrations=tmp_path / "none"))
