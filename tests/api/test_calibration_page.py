"""The worked example of docs/calibration.md gives the figures that the page derives by hand."""

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from service.calibration.remarks import Code

PAGE = (Path(__file__).parent.parent.parent / "docs" / "calibration.md").read_text(encoding="utf-8")


def test_the_worked_example_is_what_the_service_answers(client: TestClient) -> None:
    found = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert found
    answer = client.post("/calibrate", json=json.loads(found[1])).json()
    (mean,) = answer["means"]
    by_hand = {
        "1.333": mean["mean"],
        "2.333": mean["judge_mean"],
        "1.000": mean["bias"]["value"],
        "0.667": mean["weight"],
        "0.215": mean["standard_error"],
        "0.0463": mean["standard_error"] ** 2,
        "1.17": mean["worth"],
        "3.079": mean["interval"]["high"],
    }
    for shown, value in by_hand.items():
        assert shown in PAGE
        assert float(shown) == pytest.approx(value, abs=0.5 * 10 ** -len(shown.split(".")[1]))
    assert mean["interval"]["low"] == 0
    assert mean["degrees_of_freedom"] == 3


def test_every_warning_is_explained() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(Code)
