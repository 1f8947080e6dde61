"""`POST /evaluate` over ASGI."""

from functools import partial

import pytest
from starlette.testclient import TestClient

from tests.api.posting import answered
from tests.api.scripted import CORE, LOG, threes
from tests.registries import ROLES

post = partial(answered, path="/evaluate", log=LOG, judge="builtin")


def test_verdicts_debate_and_metrics_come_in_one_answer(debates: TestClient) -> None:
    answer = post(debates)
    assert [v["factor"] for v in answer["verdicts"]] == CORE
    assert answer["summaries"][0]["mean"] == 3
    assert answer["debate"]["overall"] == pytest.approx(threes(CORE), abs=0.5)
    assert answer["debate_failure"] is None
    rows = {row["metric"]: row for row in answer["metrics"]["rows"]}
    assert rows["conversation_turns"]["value"] == 1
    assert set(answer["metrics"]["abilities"]) == {
        "quality", "reliability", "cooperation", "social_awareness", "identity", "coordination",
    }  # fmt: skip
    assert answer["usage"]["input_tokens"] == len(CORE) * 40


def test_a_debate_that_fails_leaves_the_rest_standing(debates: TestClient) -> None:
    mute = {"linguist": "scripted:mute", "hci-expert": "scripted:mute"}
    answer = post(debates, judges=mute)
    assert answer["debate"] is None
    assert answer["debate_failure"]["code"] == "upstream-failed"
    assert len(answer["debate_failure"]["rounds"]) == 4
    assert len(answer["verdicts"]) == len(CORE)
    assert answer["usage"]["input_tokens"] == len(CORE) * 40 + 2 * len(ROLES) * 100


def test_an_upstream_that_gives_nothing_is_a_502_with_the_failed_verdicts(debates: TestClient) -> None:
    problem = post(debates, 502, judge="scripted:down")
    assert len(problem["verdicts"]) == len(CORE)
    assert problem["rounds"] == []
    assert problem["verdicts"][0]["reason"]["code"] == "upstream_unavailable"
