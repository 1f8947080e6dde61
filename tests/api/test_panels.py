"""Panels and mixtures in a request, through the whole application: the real SDKs against the local provider."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.scoring.mixture import Mixture
from service.settings import Settings
from tests.api.posting import answered, refused
from tests.factories import in_turns
from tests.provider.behaviours import Answer, Behaviour, Payload, unknown_model
from tests.provider.server import ProviderServer

LOG = {
    "messages": in_turns(
        "A quiet film by the sea, please.", "Try Paper Lanterns. It is slow, and set by the sea."
    )
}
THREE = ["local:low", "local:mid", "local:high"]
SCORES = {"low": 1, "mid": 2, "high": 4}


def by_model(payload: Payload) -> Behaviour:
    """Models that hold to one score; `down` is none."""
    model = payload["model"]

    if model == "down":
        return unknown_model(model)
    said = {"rationale": f"{model} thinks so.", "evidence": [], "score": SCORES.get(model, 3)}
    names = list(payload["response_format"]["json_schema"]["schema"]["properties"])
    return Answer(json.dumps(said if "score" in names else dict.fromkeys(names, said)))


@pytest.fixture
def provider(provider: ProviderServer) -> ProviderServer:
    provider.default = by_model
    return provider


@pytest.fixture(scope="module")
def client(model: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    prices = tmp_path_factory.mktemp("prices") / "prices.toml"
    prices.write_text('["local:low"]\ninput = 1\noutput = 1\n')
    upstreams = dict.fromkeys(("local", "llama", "qwen", "glm"), model.openai_url)
    settings = Settings(
        upstreams=upstreams,
        judges=("builtin", "local:*", "llama:*", "qwen:*", "glm:*"),
        prices=prices,
        workers=0,
        request_timeout=20,
    )
    with TestClient(create_app(settings)) as client:
        yield client


post = partial(answered, log=LOG, cache="off")


def test_a_panel_gives_one_verdict_with_those_of_its_members(
    client: TestClient, provider: ProviderServer
) -> None:
    answer = post(client, panel=THREE, factors=["coherence", "naturalness"])
    assert provider.calls == 6
    for verdict in answer["verdicts"]:
        assert verdict["score"] == pytest.approx(7 / 3, abs=1e-3)
        assert [one["judge"]["model"] for one in verdict["panel"]] == ["low", "mid", "high"]
        assert [one["score"] for one in verdict["panel"]] == [1, 2, 4]
        assert all(one["rationale"] and one["evaluator_revision"] for one in verdict["panel"])
        assert verdict["samples"] == {"requested": 3, "n": 3, "scores": [1, 2, 4], "spread": 3}
        assert 0 < verdict["confidence"] < 1
        assert verdict["judge"] == {"name": "panel", "model": "mean(local:high + local:low + local:mid)"}
        spent = [one["usage"]["input_tokens"] for one in verdict["panel"]]
        assert verdict["usage"]["input_tokens"] == sum(spent) > max(spent) > 0
        # Two of the three have no price: a sum of the rest would look like the whole.
        assert (verdict["usage"]["cost"], verdict["panel"][0]["usage"]["cost"] > 0) == (None, True)
    assert [judge["model"] for judge in answer["judges"]] == ["low", "mid", "high"]
    assert answer["usage"]["input_tokens"] == sum(one["usage"]["input_tokens"] for one in answer["verdicts"])
    assert answer["summaries"][0]["mean"] == pytest.approx(7 / 3, abs=1e-3)


def test_one_member_down_is_flagged_and_the_rest_count(client: TestClient, provider: ProviderServer) -> None:
    whole = post(client, panel=["local:low", "local:high"], factors=["coherence"])
    answer = post(client, panel=["local:low", "local:down", "local:high"], factors=["coherence"])
    [verdict] = answer["verdicts"]
    assert verdict["status"] == "scored"
    assert verdict["score"] == 2.5
    down = verdict["panel"][1]
    assert (down["status"], down["score"]) == ("failed", None)
    [flag] = verdict["flags"]
    assert flag["code"] == "panel_member_failed"
    assert "local:down" in flag["detail"]
    assert [notice["code"] for notice in answer["warnings"]] == ["panel_members_failed"]
    assert answer["comparison_key"] != whole["comparison_key"]


def test_all_members_down_is_an_error_of_the_request(client: TestClient, provider: ProviderServer) -> None:
    [verdict] = post(client, 502, panel=["local:down", "llama:down"], factors=["coherence"])["verdicts"]
    assert verdict["status"] == "failed"
    assert [one["status"] for one in verdict["panel"]] == ["failed", "failed"]


def test_factors_go_to_their_own_judges_and_panels(client: TestClient, provider: ProviderServer) -> None:
    answer = post(
        client,
        factors=["coherence", "naturalness", "grammatical-correctness"],
        judge="local:high",
        factor_judges={"naturalness": "local:low"},
        factor_panels={"grammatical-correctness": ["local:low", "local:mid"]},
    )
    assert [verdict["score"] for verdict in answer["verdicts"]] == [4, 1, 1.5]
    assert [verdict["panel"] is None for verdict in answer["verdicts"]] == [True, True, False]


def test_the_papers_mixture_is_a_preset(client: TestClient, provider: ProviderServer) -> None:
    gpt = [slug for slug, judge in Mixture.CORE.judges.items() if judge.name == "openai"]
    body: dict[str, Any] = {
        "mixture": "core",
        "judge": "local:mid",
        "factor_judges": dict.fromkeys(gpt, "local:low"),
    }
    answer = post(client, factors=["groundness", "novelty", "naturalness", "concept-manner"], **body)
    judges = {verdict["factor"]: verdict["judge"] for verdict in answer["verdicts"]}
    assert judges["groundness"] == {"name": "glm", "model": "glm-4-air"}
    assert judges["novelty"] == {"name": "qwen", "model": "Qwen/Qwen3-32B"}
    assert judges["naturalness"]["model"] == "low"
    assert judges["concept-manner"]["model"] == "mid"
    assert refused(client, log=LOG, mixture="core", factors=["naturalness"]) == ["/mixture"]


def bare(verdicts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Verdicts without what they cost: those that a caller brings cost nothing."""
    free = [
        {name: value for name, value in one.items() if name not in ("usage", "panel")} for one in verdicts
    ]
    return [
        one | {"panel": bare(whole["panel"])} if whole.get("panel") else one
        for one, whole in zip(free, verdicts, strict=True)
    ]


def test_a_members_answer_comes_from_the_cache_by_itself(
    client: TestClient, provider: ProviderServer
) -> None:
    body = {"log": LOG, "factors": ["coherence"]}
    client.post("/score", json={**body, "judge": "local:cached-a"})
    first = client.post("/score", json={**body, "panel": ["local:cached-a", "local:cached-b"]})
    assert first.headers["cache-status"] == 'crs-eval; fwd=miss; detail="hits=1/2"'
    [verdict] = first.json()["verdicts"]
    assert [one["cached"] for one in verdict["panel"]] == [True, False]
    assert verdict["cached"] is False
    assert verdict["panel"][0]["usage"]["saved_tokens"] > 0
    for _ in range(3):  # the third comes from the answers that are remembered whole
        again = client.post("/score", json={**body, "panel": ["local:cached-a", "local:cached-b"]})
        assert again.headers["cache-status"] == "crs-eval; hit"
        assert again.json()["verdicts"][0]["cached"] is True
    assert provider.calls == 2


def test_evaluations_and_debates_take_a_panel(client: TestClient, provider: ProviderServer) -> None:
    answer = post(
        client, path="/evaluate", panel=["builtin", "local:high"], factors=["coherence", "naturalness"]
    )
    assert [len(verdict["panel"]) for verdict in answer["verdicts"]] == [2, 2]
    assert answer["debate"]["overall"] is not None
    assert {judge["name"] for judge in answer["judges"]} == {"builtin", "local"}
    # Its verdicts can be handed back, and count as they did.
    back = post(client, path="/debate", verdicts=answer["verdicts"])
    assert bare(back["verdicts"]) == bare(answer["verdicts"])
    assert back["overall"] == answer["debate"]["overall"]


def test_forged_members_are_refused_as_forged_verdicts_are(
    client: TestClient, provider: ProviderServer
) -> None:
    [verdict] = post(client, panel=["local:low", "local:high"], factors=["coherence"])["verdicts"]
    verdict["panel"][1]["score"] = 1e300
    assert refused(client, path="/debate", log=LOG, verdicts=[verdict]) == ["/verdicts/0/panel/1/score"]
    verdict["panel"][1]["factor"] = "naturalness"
    assert refused(client, path="/debate", log=LOG, verdicts=[verdict]) == ["/verdicts/0/panel/1/factor"]


def test_a_stream_tells_a_verdict_when_its_panel_is_complete(
    client: TestClient, provider: ProviderServer
) -> None:
    headers = {"accept": "text/event-stream"}
    body = {"log": LOG, "panel": THREE, "factors": ["coherence"], "cache": "off"}
    events = client.post("/score", json=body, headers=headers).text.split("\n\n")
    assert sum("event: verdict" in event for event in events) == 1
    assert '"panel":[' in events[0]


@pytest.mark.parametrize(
    ("pointer", "fields"),
    [
        ("/panel", {"panel": THREE, "judge": "builtin"}),
        ("/panel/1", {"panel": ["local:low", "nowhere:x"]}),
        ("/panel/2", {"panel": ["local:low", "builtin", "local:low"]}),
        ("/aggregate", {"aggregate": "median", "judge": "builtin"}),
        ("/factor_judges/coherance", {"factor_judges": {"coherance": "builtin"}}),
        ("/factor_judges/coherence", {"factor_judges": {"coherence": "nowhere:x"}}),
        ("/factor_panels/coherence/1", {"factor_panels": {"coherence": ["builtin", "builtin"]}}),
        (
            "/factor_panels/coherence",
            {
                "factor_panels": {"coherence": ["builtin", "local:low"]},
                "factor_judges": {"coherence": "builtin"},
            },
        ),
        ("/judging", {"panel": ["builtin", "local:low"], "judging": "itemised"}),
    ],
)
def test_what_cannot_be_asked_is_refused_by_its_field(
    client: TestClient, provider: ProviderServer, pointer: str, fields: dict[str, Any]
) -> None:
    assert refused(client, log=LOG, **fields) == [pointer]
    assert provider.calls == 0
