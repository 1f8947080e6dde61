"""`judging: faults` through the whole application: the real SDKs against the local provider."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from tests.api.posting import answered, refused
from tests.factories import in_turns
from tests.provider.behaviours import Answer
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of, schema_of

LOG = {
    "messages": in_turns(
        "I need a tent for two that packs small, for under 300 euros.",
        "The Fjell 4 sleeps four people. It are roomy.",
        "That is the wrong size, I said two. How heavy is the Fjell 2?",
        "Sorry about that! Camping is a lovely hobby.",
        "And what does it weigh?",
        "The Fjell 2 weighs 1.9 kilos, so it is easy to carry.",
    )
}
MODEL = "local:gpt-4o-mini"
OTHER = "local:gpt-4.1-mini"
ANSWERED_FACTORS = (
    "coherence",
    "recoverability",
    "explainability",
    "grammatical-correctness",
    "appropriateness",
)


def fault(slug: str, message: int, quote: str, severity: str = "plain") -> dict[str, Any]:
    return {"message": message, "fault": slug, "severity": severity, "quote": quote}


CONTRADICTS = fault("contradicts-user", 1, "The Fjell 4 sleeps four people.")
IGNORES = fault("ignores-question", 3, "Camping is a lovely hobby.")
GRAMMAR = fault("broken-grammar", 1, "It are roomy")
UNCORRECTED = fault("not-corrected", 3, "Sorry about that!")


def listed(*faults: dict[str, Any], read: int = 3, **lists: list[int]) -> Answer:
    """An answer that fits whatever lists the request asks for."""
    whole = {"errors_pointed_out": [2], "recommending_replies": [1], **lists}

    def text(payload: dict[str, Any]) -> str:
        schema = schema_of(payload)
        assert schema is not None
        asked = {name: whole[name] for name in whole if name in schema["properties"]}
        return json.dumps({**asked, "faults": list(faults), "replies_read": read})

    return Answer(text)


def ask(asking: TestClient, *factors: str, **fields: Any) -> dict[str, dict[str, Any]]:
    body = {
        "log": LOG,
        "judge": MODEL,
        "factors": list(factors),
        "judging": "faults",
        "cache": "off",
        **fields,
    }
    return {verdict["factor"]: verdict for verdict in answered(asking, **body)["verdicts"]}


def flags(verdict: dict[str, Any]) -> set[str]:
    return {flag["code"] for flag in verdict["flags"]}


def test_one_list_scores_every_factor_by_the_ladder(asking: TestClient, provider: ProviderServer) -> None:
    provider.behave(listed(CONTRADICTS, IGNORES, GRAMMAR, UNCORRECTED))
    found = ask(asking, *ANSWERED_FACTORS, "effectiveness")
    assert provider.calls == 1
    scores = {slug: verdict["score"] for slug, verdict in found.items()}
    # Coherence: replies with 0, 0.5 and 4 points.
    assert scores["coherence"] == 1.5
    assert scores["recoverability"] == 0
    assert scores["grammatical-correctness"] == 3
    assert (scores["appropriateness"], scores["explainability"]) == (4, 4)
    assert scores["effectiveness"] == pytest.approx((1 + 2 + 4) / 3, abs=1e-3)
    coherence = found["coherence"]
    assert coherence["method"] == "faults"
    assert [one["fault"] for one in coherence["faults"]] == [
        "contradicts-user",
        "ignores-question",
        "not-corrected",
    ]
    assert coherence["turns"] == [
        {"message": 1, "score": 0},
        {"message": 3, "score": 0.5},
        {"message": 5, "score": 4},
    ]
    assert coherence["faults"][0]["severity"] == "plain"
    assert coherence["evidence"][0]["quote"] == CONTRADICTS["quote"]
    assert CONTRADICTS["quote"] in coherence["rationale"]
    assert sum(place["effect"] for place in coherence["evidence"]) == pytest.approx(-2.5, abs=0.01)
    assert coherence["counts"] == {
        "replies_read": 3,
        "quotes_found": 4,
        "quotes_not_found": 0,
        "faults_dropped": 0,
    }
    assert coherence["confidence"] == 1


def test_factors_with_nothing_at_stake_have_no_score(asking: TestClient, provider: ProviderServer) -> None:
    provider.behave(listed(GRAMMAR, errors_pointed_out=[], recommending_replies=[]))
    found = ask(asking, *ANSWERED_FACTORS)
    assert found["grammatical-correctness"]["score"] == 3
    for slug in ("recoverability", "explainability"):
        assert (found[slug]["status"], found[slug]["reason"]["code"]) == ("not_assessable", "no_occasion")


def test_quotes_occur_in_the_message_that_they_name(asking: TestClient, provider: ProviderServer) -> None:
    elsewhere = fault("ignores-question", 5, "Camping is a lovely hobby.")
    for wrong in (elsewhere, fault("ignores-question", 3, ".")):
        provider.behave(listed(CONTRADICTS, wrong))
        verdict = ask(asking, "coherence")["coherence"]
        assert [one["message"] for one in verdict["faults"]] == [1]
        assert (verdict["counts"]["quotes_not_found"], verdict["confidence"]) == (1, 0.5)
        assert "quote_not_found" in flags(verdict)
    provider.behave(listed(elsewhere, fault("rude", 1, "You fool"), CONTRADICTS))
    failed = ask(asking, "coherence")["coherence"]
    assert (failed["status"], failed["reason"]["code"]) == ("failed", "quotes_not_found")


def test_unknown_faults_and_impossible_messages_are_dropped(
    asking: TestClient, provider: ProviderServer
) -> None:
    provider.behave(
        listed(
            fault("too-cheerful", 3, "lovely"),
            fault("off-topic", 2, "How heavy is the Fjell 2?"),
            fault("off-topic", 99, "x"),
            IGNORES | {"fault": "Ignores_Question"},
            fault("no-reply", 2, "How heavy is the Fjell 2?"),
            IGNORES,
        )
    )
    verdict = ask(asking, "coherence")["coherence"]
    assert [one["fault"] for one in verdict["faults"]] == ["ignores-question"]
    assert (verdict["counts"]["faults_dropped"], verdict["counts"]["quotes_not_found"]) == (4, 0)
    assert "fault_dropped" in flags(verdict)


def test_a_fault_that_is_listed_twice_counts_once_but_for_errors_of_grammar(
    asking: TestClient, provider: ProviderServer
) -> None:
    second = fault("broken-grammar", 1, "The Fjell 4 sleeps")
    provider.behave(listed(IGNORES, IGNORES | {"quote": "Sorry about that!"}, GRAMMAR, second, GRAMMAR))
    found = ask(asking, "coherence", "grammatical-correctness")
    assert [len(one["quotes"]) for one in found["coherence"]["faults"]] == [2]
    assert found["coherence"]["score"] == 2.833  # 0.5, 4 and 4 points
    assert found["grammatical-correctness"]["score"] == 2


@pytest.mark.parametrize(("read", "faults"), [(0, [CONTRADICTS]), (2, [])])
def test_a_list_that_may_miss_replies_is_asked_for_again(
    asking: TestClient, provider: ProviderServer, read: int, faults: list[dict[str, Any]]
) -> None:
    provider.behave(listed(*faults, read=read), listed(IGNORES))
    verdict = ask(asking, "coherence")["coherence"]
    assert verdict["score"] == 2.833
    assert "repaired" in flags(verdict)
    assert "replies_read" in prompt_of(provider.received[1].payload).splitlines()[-1]
    provider.behave(listed(*faults, read=read), listed(*faults, read=read))
    failed = ask(asking, "coherence")["coherence"]
    assert (failed["status"], failed["reason"]["code"]) == ("failed", "replies_not_read")


def test_faults_of_some_replies_count_with_a_flag(asking: TestClient, provider: ProviderServer) -> None:
    provider.behave(listed(CONTRADICTS, read=2), Answer("I cannot do that."))
    verdict = ask(asking, "coherence")["coherence"]
    assert verdict["score"] == 2.667  # 0, 4 and 4 points
    assert "replies_not_read" in flags(verdict)
    assert verdict["confidence"] == pytest.approx(2 / 3, abs=1e-3)
    assert verdict["counts"]["replies_read"] == 2


BAD = (
    "No faults here.",
    json.dumps({"faults": None, "replies_read": 3}),
    json.dumps({"faults": ["rude"], "replies_read": 3}),
    json.dumps({"faults": [{"fault": "rude", "message": "1", "quote": "x"}], "replies_read": 3}),
    json.dumps({"faults": [], "replies_read": "all"}),
    json.dumps({"faults": []}),
    json.dumps({"faults": [CONTRADICTS], "replies_read": 3})[:-5],
    json.dumps({"faults": [IGNORES | {"fault": "bad-vibes"}, IGNORES | {"message": 2}], "replies_read": 3}),
)


@pytest.mark.parametrize("text", BAD)
def test_a_malformed_list_is_no_score(asking: TestClient, provider: ProviderServer, text: str) -> None:
    provider.behave(Answer(text), Answer(text))
    verdict = ask(asking, "coherence")["coherence"]
    assert (verdict["status"], verdict["reason"]["code"]) == ("failed", "unreadable")
    assert provider.calls == 2


def test_a_panel_reports_a_fault_by_the_share_of_its_members(
    asking: TestClient, provider: ProviderServer
) -> None:
    def by_model(payload: dict[str, Any]) -> str:
        faults = [IGNORES, CONTRADICTS] if payload["model"] == OTHER.removeprefix("local:") else [IGNORES]
        return json.dumps({"faults": faults, "replies_read": 3})

    provider.behave(Answer(by_model), Answer(by_model))
    verdict = ask(asking, "coherence", judge=None, panel=[MODEL, OTHER])["coherence"]
    assert {(one["fault"], one["probability"]) for one in verdict["faults"]} == {
        ("ignores-question", 1),
        ("contradicts-user", 0.5),
    }
    assert verdict["score"] == pytest.approx(2.1665)
    assert [member["method"] for member in verdict["panel"]] == ["faults", "faults"]


def test_code_adds_the_faults_that_it_can_prove(asking: TestClient, provider: ProviderServer) -> None:
    leak = "Hello {{first_name}}, the Fjell 2 is light."
    log = {"messages": [*LOG["messages"][:-1], {"role": "assistant", "content": leak}]}
    provider.behave(listed(fault("template-leak", 5, "{{first_name}}")))
    [found] = ask(asking, "naturalness", log=log)["naturalness"]["faults"]
    assert (found["fault"], found["certain"], found["probability"]) == ("template-leak", True, 1)
    provider.behave(listed())
    [found] = ask(asking, "naturalness", log=log)["naturalness"]["faults"]
    assert found["certain"]


def test_a_missing_reply_is_named_by_the_users_message(asking: TestClient, provider: ProviderServer) -> None:
    messages = [*LOG["messages"], {"role": "user", "content": "Could I hire one"}]
    provider.behave(listed(fault("no-reply", 6, "Could I hire one")))
    verdict = ask(asking, "coherence", log={"messages": messages})["coherence"]
    assert [(one["fault"], one["message"]) for one in verdict["faults"]] == [("no-reply", 6)]
    assert verdict["score"] == 3
    provider.behave(listed(fault("no-reply", 6, "Could I hire one")))
    verdict = ask(asking, "coherence", log={"messages": messages, "complete": False})["coherence"]
    assert verdict["faults"] == []


def test_quotes_may_be_from_cards_and_of_replies_without_text(
    asking: TestClient, provider: ProviderServer
) -> None:
    cards = {"role": "assistant", "content": "", "recommendations": ["Fjell 6 Family Dome"]}
    log = {"messages": [LOG["messages"][0], cards]}
    provider.behave(
        listed(fault("contradicts-user", 1, "Fjell 6 Family Dome"), fault("no-reason", 1, ""), read=1)
    )
    found = ask(asking, "coherence", "explainability", log=log)
    assert [one["quotes"] for one in found["coherence"]["faults"]] == [["Fjell 6 Family Dome"]]
    assert found["explainability"]["score"] == 0


LISTED = {"messages": [LOG["messages"][0], {**LOG["messages"][1], "recommendations": ["Fjell 4"]}]}
ITEMS = {
    "diversity": {"items": {"1": {"characteristics": [{"dimension": "kind", "value": "tent"}]}}},
    "novelty": {"items": {"1": {"little_known": True, "why": "a small maker"}}},
    "semantic-relevance": {"items": [{"message": 1, "title": "Fjell 4"}], "replies_read": 1},
}


def with_items(*left_out: str) -> Answer:
    items = {slug: one for slug, one in ITEMS.items() if slug not in left_out}
    whole = {"errors_pointed_out": [], "recommending_replies": [1], "faults": [CONTRADICTS]}
    return Answer(json.dumps({**whole, "replies_read": 1, **items}))


def test_one_call_has_the_faults_and_the_lists_of_items(asking: TestClient, provider: ProviderServer) -> None:
    provider.behave(with_items())
    core = ask(asking, "core", log=LISTED | {"ground_truth": ["Fjell 4"]})
    methods = {slug: verdict["method"] for slug, verdict in core.items()}
    counted = {"effectiveness", *ITEMS}
    assert {slug for slug, method in methods.items() if method == "itemised"} == counted
    scores = {slug: verdict["score"] for slug, verdict in core.items()}
    assert [scores[slug] for slug in sorted(counted)] == [0, 4, 4, 4]
    assert scores["coherence"] == 0
    assert provider.calls == 1


def test_wanted_items_are_shown_to_their_own_factor_alone(
    asking: TestClient, provider: ProviderServer
) -> None:
    ask(asking, "core", log=LISTED | {"ground_truth": ["Svale 2"]})
    prompts = [prompt_of(one.payload) for one in provider.received]
    wish = "Items that the user really wanted"
    assert {("ignores-question:" in one, wish in one) for one in prompts} == {(True, False), (False, True)}


def test_a_list_of_items_that_is_missing_is_asked_for_again(
    asking: TestClient, provider: ProviderServer
) -> None:
    provider.behave(with_items("novelty"), with_items())
    found = ask(asking, "coherence", "novelty", "diversity", log=LISTED)
    assert [found[slug]["status"] for slug in ("coherence", "novelty", "diversity")] == ["scored"] * 3
    assert ["repaired" in flags(found[slug]) for slug in ("coherence", "novelty")] == [False, True]
    assert provider.calls == 2


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"variant": "published"}, "/variant"),
        ({"expected": True}, "/expected"),
        ({"anchors": True}, "/anchors"),
        ({"examples": [{"factor": "coherence", "score": 3, "log": LOG}]}, "/examples"),
        ({"factors": ["concept-manner"]}, "/judging"),
        ({"judging": None, "factor_judging": {"pepper-coherence": "faults"}, "factors": ["pepper-coherence"]}, "/factor_judging/pepper-coherence"),
        ({"rubrics": [{"slug": "custom-tone", "definition": "Is it warm?", "levels": {"0": "No.", "1": "Yes."}}]}, "/judging"),
        ({"judge": "builtin"}, "/judging"),
    ],
)  # fmt: skip
def test_a_request_that_faults_cannot_serve_is_refused(
    asking: TestClient, fields: dict[str, Any], pointer: str
) -> None:
    body = {"log": LOG, "judge": MODEL, "factors": ["coherence"], "judging": "faults", **fields}
    assert refused(asking, **body) == [pointer]


def test_a_deployment_can_judge_by_faults(model: ProviderServer, provider: ProviderServer) -> None:
    settings = Settings(upstreams={"local": model.openai_url}, judge=MODEL, judging="faults", workers=0)
    with TestClient(create_app(settings)) as client:
        provider.behave(listed(IGNORES))
        body = {"log": LOG, "factors": ["coherence", "concept-manner"], "cache": "off"}
        verdicts = client.post("/score", json=body).json()["verdicts"]
        single = client.post(
            "/score/coherence", json={"log": LOG, "variant": "published", "cache": "off"}
        ).json()
    assert [verdict["method"] for verdict in verdicts] == ["faults", "rating"]
    assert single["method"] == "rating"
