"""CONCEPT, PEPPER and iEvaLM by the embedded judge, over HTTP."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from service.domain.rubric import Protocol
from service.factors import load_factors
from service.judges.embedded.judge import ROWS
from tests.api.posting import answered

FILMS = [
    {"title": "The Long Way (2004)", "attributes": {"genre": ["comedy", "romance"]}},
    {"title": "Blue Harbour (1999)", "attributes": {"genre": ["horror"]}},
]
LOG: dict[str, Any] = {
    "messages": [
        {
            "role": "user",
            "content": "Hi, I'm looking for a comedy",
            "thoughts": "I am curious what it suggests.",
        },
        {"role": "assistant", "content": "Lovely. Do you prefer old ones or new ones?"},
        {"role": "user", "content": "Something after 2000", "thoughts": "It asks what I want, I like that."},
        {"role": "assistant", "content": "How about The Long Way (2004)? It is a comedy about two cooks."},
        {"role": "user", "content": "Sounds great, thanks!", "thoughts": "I am delighted with it."},
    ],
    "items": FILMS,
    "ground_truth": ["The Long Way (2004)"],
    "user": {"preferences": "You enjoy comedies. You avoid horror."},
}
SCALES = {"concept": (1, 5), "pepper": (1, 5), "ievalm": (0, 2)}
FACTORS = load_factors()


def by_factor(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {verdict["factor"]: verdict for verdict in answer["verdicts"]}


@pytest.mark.parametrize("protocol", SCALES)
def test_a_protocol_is_judged_on_its_own_scale(client: TestClient, protocol: str) -> None:
    low, high = SCALES[protocol]
    answer = answered(client, path="/score", log=LOG, factors=[protocol], judge="builtin")
    verdicts = by_factor(answer)
    assert list(verdicts) == [factor.slug for factor in FACTORS.of(Protocol(protocol))]
    ruled = {slug: verdict for slug, verdict in verdicts.items() if slug in ROWS}
    for slug, verdict in ruled.items():
        if slug == "concept-overall":
            assert verdict["reason"]["code"] == "missing_verdicts"
            assert verdict["reason"]["missing"] == ["verdicts"]
            continue
        assert verdict["status"] == "scored"
        assert verdict["scale"] == {"min": low, "max": high}
        assert low <= verdict["score"] <= high
        assert verdict["judge"] == {"name": "builtin", "model": None}
    (summary,) = answer["summaries"]
    assert (summary["protocol"], summary["scale"]) == (protocol, {"min": low, "max": high})
    assert summary["assessed"] == len(ruled) - ("concept-overall" in ruled)


def test_the_whole_may_have_computed_abilities_in_hand(client: TestClient) -> None:
    first = answered(client, path="/score", log=LOG, factors=["concept"])["verdicts"]
    computed = {**first[0], "factor": "concept-sincerity", "score": 2.5, "rationale": "Computed."}
    sent: dict[str, Any] = {"log": LOG, "factors": ["concept-overall"], "verdicts": [*first, computed]}
    alone = by_factor(answered(client, path="/score", **sent))["concept-overall"]
    without = by_factor(answered(client, path="/score", **{**sent, "verdicts": first}))["concept-overall"]
    assert alone["score"] == without["score"]  # the embedded judge weighs the judged ones
    high = client.post("/score", json={**sent, "verdicts": [{**computed, "score": 6}]})
    assert (high.status_code, high.json()["errors"][0]["pointer"]) == (422, "/verdicts/0/score")
    debate = client.post("/debate", json={"log": LOG, "verdicts": [computed]})
    assert (debate.status_code, debate.json()["errors"][0]["pointer"]) == (422, "/verdicts/0/factor")
