"""Sessions of cards and tools through the service: the example shop, whose replies are cards alone, and the travel agent."""

import copy
import json
from functools import partial
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.conftest import ROOT
from tests.api.posting import answered

Json = dict[str, Any]
EXAMPLES: dict[str, Json] = {
    name: json.loads((ROOT / "examples" / "logs" / f"{name}.json").read_text("utf-8"))["log"]
    for name in ("shop", "travel")
}


@pytest.fixture
def shop() -> Json:
    return copy.deepcopy(EXAMPLES["shop"])


groundness = partial(answered, path="/score/groundness", judge="builtin")


def test_a_misstated_price_is_caught_by_the_rule(client: TestClient, shop: Json) -> None:
    found = groundness(client, log=shop)
    assert found["score"] < 3
    [fault] = found["faults"]
    assert (fault["fault"], fault["message"], fault["certain"]) == ("contradicts-data", 3, True)
    assert "99" in fault["quotes"][0]
    assert "109" in fault["quotes"][1]
    shop["messages"][3]["parts"][0]["items"][0]["price"] = 109.0
    assert groundness(client, log=shop)["score"] == pytest.approx(4, abs=0.1)


def test_an_error_that_a_reply_passes_over_is_a_flag(client: TestClient) -> None:
    found = groundness(client, log=EXAMPLES["travel"])
    assert [one["message"] for one in found["flags"] if one["code"] == "tool_error_passed_over"] == [5]
