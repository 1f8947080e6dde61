"""The ways in which a model may be asked, through the whole application: the real SDKs against the local provider."""

import json
import math
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from tests.api.posting import answered
from tests.factories import in_turns
from tests.provider.behaviours import Answer, Body, unsupported
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of

LOG = {
    "messages": in_turns(
        "A quiet film by the sea, please.",
        "Try Paper Lanterns. It is slow, and set by the sea.",
        "I have seen that. Something newer?",
        "Paper Lanterns is great!",
    )
}
MODEL = "local:gpt-4o-mini"


def score(asking: TestClient, *factors: str, **fields: Any) -> dict[str, Any]:
    return answered(
        asking, **{"log": LOG, "judge": MODEL, "factors": list(factors), "cache": "off", **fields}
    )


def refusal(asking: TestClient, *factors: str, **fields: Any) -> dict[str, Any]:
    body = {"log": LOG, "judge": MODEL, "factors": list(factors), **fields}
    [error] = answered(asking, 422, **body)["errors"]
    return dict(error)


def test_both_readings_have_prompts_and_revisions_of_their_own(
    asking: TestClient, provider: ProviderServer
) -> None:
    ours = score(asking, "groundness")
    theirs = score(asking, "groundness", variant="published")
    prompts = [prompt_of(request.payload) for request in provider.received]
    assert "claims that no reliable source supports" not in prompts[0]
    assert "claims that no reliable source supports" in prompts[1]
    assert "In this domain" in prompts[0]
    assert "In this domain" not in prompts[1]
    revisions = [answer["verdicts"][0]["evaluator_revision"] for answer in (ours, theirs)]
    assert revisions[0] != revisions[1]
    assert ours["comparison_key"] != theirs["comparison_key"]


def test_a_log_without_a_mistake_has_full_marks_in_the_published_reading_alone(asking: TestClient) -> None:
    fields = {"log": LOG, "judge": "builtin"}
    ours = asking.post("/score/recoverability", json=fields).json()
    assert (ours["status"], ours["reason"]["code"]) == ("not_assessable", "no_occasion")
    theirs = asking.post("/score/recoverability", json={**fields, "variant": "published"}).json()
    assert (theirs["score"], [flag["code"] for flag in theirs["flags"]]) == (4, ["no_occasion"])


def test_each_factor_says_where_it_departs_from_its_paper(asking: TestClient) -> None:
    groundness = asking.get("/factors/groundness").json()
    assert any("unsupported" in deviation for deviation in groundness["deviations"])
    assert groundness["published"]["steps"] != groundness["steps"]
    assert all(factor["deviations"] for factor in asking.get("/factors").json()["factors"])


def replies(first: bool, second: bool) -> Answer:
    """A list on coherence."""
    pairs = ((1, first), (3, second))
    items = [{"message": at, "wanted": f"wish {at}", "serves": serves} for at, serves in pairs]
    return Answer(json.dumps({"items": items}))


def weighed(score: int, top: dict[str, float]) -> Body:
    """A Chat Completions answer with the probabilities of its tokens."""
    text = json.dumps({"rationale": "Fine.", "evidence": [], "score": score})
    head, tail = text[: text.rindex(str(score))], "}"
    alternatives = [{"token": t, "logprob": math.log(p), "bytes": None} for t, p in top.items()]
    tokens = [
        {"token": head, "logprob": 0.0, "bytes": None, "top_logprobs": []},
        {
            "token": str(score),
            "logprob": math.log(top[str(score)]),
            "bytes": None,
            "top_logprobs": alternatives,
        },
        {"token": tail, "logprob": 0.0, "bytes": None, "top_logprobs": []},
    ]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
        "logprobs": {"content": tokens},
    }
    return Body(
        json.dumps({"id": "x", "object": "chat.completion", "model": "m", "choices": [choice]}).encode()
    )


def test_a_list_becomes_a_level_with_turns_evidence_and_counts(
    asking: TestClient, provider: ProviderServer
) -> None:
    provider.behave(replies(True, False))
    [verdict] = score(asking, "coherence", judging="itemised")["verdicts"]
    assert (verdict["score"], verdict["method"]) == (3, "itemised")
    assert verdict["counts"] == {"counted": 2, "met": 1, "quotes_found": 0, "quotes_not_found": 0}
    assert verdict["turns"] == [{"message": 1, "score": 4}, {"message": 3, "score": 0}]
    assert [evidence["message"] for evidence in verdict["evidence"]] == [3]
    assert verdict["rationale"] == "1 of 2 replies serve what the user wanted.\n- [3] wish 3"
    assert verdict["confidence"] is None
    asked = json.loads(json.dumps(provider.received[0].payload))
    assert "Do not give a score" in prompt_of(asked)


def test_samples_are_averaged_after_counting(asking: TestClient, provider: ProviderServer) -> None:
    provider.behave(replies(True, True), replies(True, False), replies(False, False))
    [verdict] = score(asking, "coherence", judging="itemised", samples=3)["verdicts"]
    assert sorted(verdict["samples"]["scores"]) == [2, 3, 4]
    assert verdict["score"] == 3
    assert 0 < verdict["confidence"] < 1


def test_a_shared_call_holds_a_list_for_each_factor(asking: TestClient, provider: ProviderServer) -> None:
    lists = {
        "coherence": {"items": [{"message": at, "wanted": "x", "serves": True} for at in (1, 3)]},
        "recoverability": {
            "items": [{"message": 2, "objection": "I have seen that", "mistake": "y", "corrected_by": None}]
        },
    }
    provider.behave(Answer(json.dumps(lists)))
    answer = score(asking, "coherence", "recoverability", judging="itemised", grouping="all")
    assert [verdict["score"] for verdict in answer["verdicts"]] == [4, 3]
    assert provider.calls == 1


def test_an_exact_hit_needs_no_model(asking: TestClient, provider: ProviderServer) -> None:
    messages = [LOG["messages"][0], LOG["messages"][1] | {"recommendations": ["Moss", "Paper Lanterns"]}]
    log = {"messages": messages, "ground_truth": ["paper lanterns"]}
    [verdict] = score(asking, "effectiveness", judging="itemised", log=log)["verdicts"]
    assert (verdict["score"], verdict["counts"]) == (4, {"wanted": 1})
    assert provider.calls == 0


def test_a_deployment_has_lists_where_there_is_a_ladder(
    model: ProviderServer, provider: ProviderServer
) -> None:
    settings = Settings(
        upstreams={"local": model.openai_url},
        judge="local:gpt-4o-mini",
        judging="itemised",
        judging_by_factor={"naturalness": "rating"},
        workers=0,
    )
    with TestClient(create_app(settings)) as client:
        factors = ["coherence", "naturalness", "ievalm-persuasiveness"]
        log = LOG | {"ground_truth": ["Moss"]}
        answer = client.post("/score", json={"log": log, "factors": factors, "cache": "off"}).json()
    assert [verdict["method"] for verdict in answer["verdicts"]] == ["itemised", "rating", "rating"]


def test_a_factor_without_a_ladder_is_refused_with_those_that_have_one(asking: TestClient) -> None:
    error = refusal(asking, "concept", judging="itemised")
    assert error["pointer"] == "/judging"
    assert "concept-overall" in error["detail"]
    for slug in ("concept-manner", "pepper-coherence", "coherence"):
        assert slug in error["fix"]
    assert "ievalm-persuasiveness" not in error["fix"]
    slugs = {factor["slug"] for factor in asking.get("/factors").json()["factors"] if not factor["itemised"]}
    assert slugs >= {"concept-overall", "ievalm-persuasiveness"}


def test_expected_does_not_go_with_itemised_nor_with_who_gives_no_probabilities(asking: TestClient) -> None:
    assert refusal(asking, "coherence", judging="itemised", expected=True)["pointer"] == "/expected"
    assert refusal(asking, "coherence", judge="builtin", expected=True)["pointer"] == "/expected"
    assert refusal(asking, "coherence", judge="builtin", judging="itemised")["pointer"] == "/judging"
    unknown = refusal(asking, "coherence", judge="local:some-model", expected=True)
    assert "no probabilities" in unknown["detail"]


def test_the_expected_score_is_weighed_by_the_levels_probabilities(
    asking: TestClient, provider: ProviderServer
) -> None:
    provider.behave(weighed(3, {"3": 0.5, "2": 0.25, "4": 0.05, " ": 0.2}))
    [verdict] = score(asking, "coherence", expected=True)["verdicts"]
    assert verdict["method"] == "expected"
    assert verdict["score"] == pytest.approx((1.5 + 0.5 + 0.2) / 0.8)
    assert verdict["scale_share"] == pytest.approx(0.8)
    assert 0 < verdict["confidence"] < 0.8
    payload = provider.received[0].payload
    assert (payload["logprobs"], payload["top_logprobs"]) == (True, 20)


def test_a_server_that_gives_no_probabilities_gives_no_score(
    asking: TestClient, provider: ProviderServer
) -> None:
    body = {"log": LOG, "judge": MODEL, "cache": "off", "expected": True}
    [verdict] = asking.post("/score", json=body | {"factors": ["coherence"]}).json()["verdicts"]
    assert (verdict["status"], verdict["reason"]["code"]) == ("failed", "no_logprobs")
    other = "local:gpt-4.1-mini"
    provider.behave(unsupported("logprobs"))
    [verdict] = asking.post("/score", json=body | {"judge": other, "factors": ["coherence"]}).json()[
        "verdicts"
    ]
    assert verdict["reason"]["code"] == "no_logprobs"
    # A server is not asked again for something that it refused once.
    assert refusal(asking, "coherence", judge=other, expected=True)["pointer"] == "/expected"


def test_worked_examples_are_shown_where_they_are_asked_for(
    asking: TestClient, provider: ProviderServer
) -> None:
    plain = score(asking, "coherence")
    anchored = score(asking, "coherence", anchors=True)
    prompts = [prompt_of(request.payload) for request in provider.received]
    assert ["Worked examples" in prompt for prompt in prompts] == [False, True]
    assert all(f"- Level {level}. " in prompts[1] for level in (0, 2, 4))
    assert "- Not effectiveness. " in prompts[1]
    revisions = [answer["verdicts"][0]["evaluator_revision"] for answer in (plain, anchored)]
    assert revisions[0] != revisions[1]
    assert plain["comparison_key"] != anchored["comparison_key"]


def test_worked_examples_are_refused_where_there_are_none_or_nobody_reads_them(asking: TestClient) -> None:
    assert refusal(asking, "pepper", anchors=True)["pointer"] == "/anchors"
    assert refusal(asking, "coherence", anchors=True, variant="published")["pointer"] == "/anchors"
    assert refusal(asking, "coherence", anchors=True, judging="itemised")["pointer"] == "/anchors"
    assert refusal(asking, "coherence", anchors=True, judge="builtin")["pointer"] == "/anchors"


def test_a_rubric_of_a_request_is_rated_where_lists_are_asked_for(
    asking: TestClient, provider: ProviderServer
) -> None:
    rubric = {"slug": "custom-tone", "definition": "Is it warm?", "levels": {"0": "No.", "1": "Yes."}}
    error = refusal(asking, "coherence", judging="itemised", rubrics=[rubric])
    assert error["pointer"] == "/judging"
    assert "custom-tone is a rubric of this request" in error["detail"]
    assert '"factor_judging": {"custom-tone": "rating"}' in error["fix"]
    rating = Answer(json.dumps({"rationale": "Warm.", "evidence": [], "score": 1}))
    provider.behave(rating)
    way = {"judging": "itemised", "factor_judging": {"custom-tone": "rating"}, "rubrics": [rubric]}
    response = asking.post("/score", json={"log": LOG, "judge": MODEL, "cache": "off", **way})
    [verdict] = response.json()["verdicts"]
    assert (verdict["method"], verdict["score"]) == ("rating", 1)
