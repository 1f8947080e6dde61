"""`POST /compare` over the whole application, with the embedded judge and with models that answer as scripted."""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.factors import load_factors
from service.settings import ProviderAccess, Settings
from tests.api.posting import answered, refused
from tests.provider.behaviours import Answer, Payload, Status, rate_limited
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of

ROOT = Path(__file__).parents[2]
GOOD, BROKEN = (
    json.loads((ROOT / f"examples/logs/{name}.json").read_text())["log"] for name in ("good", "broken")
)
CORE = [slug for slug, factor in load_factors().items() if factor.protocol == "core"]
MODEL = "openai:gpt-4o-mini"


@pytest.fixture(scope="module")
def asked(model: ProviderServer) -> Iterator[TestClient]:
    settings = Settings(
        workers=0,
        providers={"openai": ProviderAccess(base_url=model.openai_url)},
        judges=("builtin", "openai:*"),
    )
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


compare = partial(answered, path="/compare", first=GOOD, second=BROKEN)


def all_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [*answer["preferences"], answer["overall"]]


def test_the_embedded_judge_prefers_the_good_conversation_in_either_place(client: TestClient) -> None:
    answer = compare(client)
    assert [one["factor"] for one in answer["preferences"]] == CORE
    assert answer["overall"]["preferred"] == "first"
    assert answer["overall"]["confidence"] >= 0.6
    turned = compare(client, first=BROKEN, second=GOOD)
    opposite = {"first": "second", "second": "first", "tie": "tie", None: None}
    assert [one["preferred"] for one in all_of(turned)] == [
        opposite[one["preferred"]] for one in all_of(answer)
    ]
    assert answer["comparison_key"] == turned["comparison_key"]
    same = compare(client, second=GOOD)
    assert {one["preferred"] for one in all_of(same)} <= {"tie", None}


def of_the_film(payload: Payload) -> str:
    """A model that prefers the conversation which begins as `GOOD` does, in either place."""
    whole = prompt_of(payload)
    shown = [re.split(f"<conversation_{n}>\n", whole)[-1].split("</conversation_")[0] for n in (1, 2)]
    better = "1" if GOOD["messages"][0]["content"][:30] in shown[0] else "2"
    return json.dumps({"rationale": "It serves its user better.", "better": better})


def test_a_model_that_reads_keeps_its_preference_in_both_orders(
    asked: TestClient, provider: ProviderServer
) -> None:
    provider.default = Answer(text=of_the_film)
    fields: dict[str, Any] = {"judge": MODEL, "factors": ["coherence", "explainability"], "cache": "refresh"}
    assert {one["preferred"] for one in all_of(compare(asked, **fields))} == {"first"}
    turned = compare(asked, first=BROKEN, second=GOOD, **fields)
    assert {one["preferred"] for one in all_of(turned)} == {"second"}
    provider.reset()
    provider.default = Answer(text=of_the_film)
    once = compare(asked, swap=False, **fields)
    assert provider.calls == 3
    assert [len(one["orders"]) for one in all_of(once)] == [1, 1, 1]
    fields["cache"] = "use"
    again = asked.post("/compare", json={"first": GOOD, "second": BROKEN, **fields})
    assert again.headers["cache-status"] == "crs-eval; hit"
    assert provider.calls == 3


def test_answers_that_cannot_be_used_make_no_preference(asked: TestClient, provider: ProviderServer) -> None:
    provider.default = Answer(text="I like both.")
    fields: dict[str, Any] = {"judge": MODEL, "factors": ["coherence"], "cache": "off"}
    answer = compare(asked, **fields)
    assert {one["preferred"] for one in all_of(answer)} == {None}
    assert {one["reason"]["code"] for one in all_of(answer)} == {"unreadable"}
    assert answer["warnings"][0]["code"] == "no_preference"
    assert provider.calls == 2 * 2 * 2, "each was asked once more"
    provider.default = Status(401)
    compare(asked, 502, **fields)
    provider.default = rate_limited(3600)
    later = asked.post("/compare", json={"first": GOOD, "second": BROKEN, **fields})
    assert (later.status_code, int(later.headers["retry-after"]) >= 3600) == (502, True)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/compare", {"first": GOOD, "second": BROKEN, "factors": ["coherence"], "judge": MODEL}),
        ("/debate", {"log": GOOD, "judge": MODEL, "max_rounds": 1}),
        ("/behavior-alignment", {"candidate_log": GOOD, "reference_log": GOOD, "method": "llm", "judge": MODEL}),
        ("/simulate", {"log": {"messages": [], "ground_truth": ["Up"]}, "simulator": {"type": "target", "judge": MODEL}}),
    ],
)  # fmt: skip
def test_answers_warn_of_a_model_that_nobody_asked_for(
    asked: TestClient, provider: ProviderServer, path: str, body: dict[str, Any]
) -> None:
    for model, warned in ((None, 0), ("tiny-7b", 1)):
        provider.default = Answer(model=model)
        answer = asked.post(path, json=body | {"cache": "off"})
        assert answer.status_code == 200, answer.text
        assert [one["code"] for one in answer.json()["warnings"]].count("other_model") == warned


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"factors": ["coherenze"]}, "/factors/0"),
        ({"judge": "nobody"}, "/judge"),
        ({"catalog": "nowhere"}, "/catalog"),
        ({"second": {"messages": []}}, "/second/messages"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(
    client: TestClient, change: dict[str, Any], pointer: str
) -> None:
    assert refused(client, path="/compare", **{"first": GOOD, "second": BROKEN, **change}) == [pointer]


def test_a_model_reads_the_faults_that_the_embedded_judge_finds(
    asked: TestClient, provider: ProviderServer
) -> None:
    scored = asked.post("/score", json={"log": BROKEN, "judge": "builtin"}).json()["verdicts"]
    quote = next(fault["quotes"][0] for one in scored for fault in one["faults"] if fault["quotes"])
    bodies = {
        "/compare": {"first": GOOD, "second": BROKEN, "factors": ["coherence"], "judge": MODEL},
        "/debate": {"log": BROKEN, "verdicts": scored, "judge": MODEL, "max_rounds": 1},
    }
    for path, body in bodies.items():
        provider.reset()
        plain = asked.post(path, json=body | {"cache": "off"}).json()
        assert not any("<faults>" in prompt_of(one.payload) for one in provider.received)
        provider.reset()
        shown = asked.post(path, json=body | {"cache": "off", "evidence": "faults"}).json()
        assert plain["comparison_key"] != shown["comparison_key"]
        assert provider.received
        for one in provider.received:
            passages = re.findall(r"</log>\n<faults>\n(.*?)\n</faults>", prompt_of(one.payload), re.DOTALL)
            assert len(passages) == (2 if path == "/compare" else 1)
            assert any(f'"{quote}"' in passage for passage in passages)
    compare(asked, 422, evidence="rumours")
