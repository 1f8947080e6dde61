"""LLM judges behind the service as it runs: processes of their own, real HTTP, Redis, two replicas, and
a provider on loopback."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest

from tests.patience import PATIENCE, REDIS_TIMEOUT
from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer
from tests.registries import CORE
from tools.service_process import ROOT, running_service

LOG = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
BODY: dict[str, Any] = {"log": LOG}
JUDGE = "local:gpt-4o-mini"


def settings(provider: ProviderServer, redis_url: str | None = None) -> dict[str, str]:
    plain = {
        "UPSTREAM_LOCAL": provider.openai_url,
        "JUDGES": "builtin,local:*",
        "JUDGE": JUDGE,
        "REQUEST_TIMEOUT": f"{10 * PATIENCE}",  # so that what is waited for does not come by the deadline alone
    }
    return plain | ({"REDIS_URL": redis_url, "REDIS_TIMEOUT": f"{REDIS_TIMEOUT}"} if redis_url else {})


@pytest.fixture(scope="module")
def urls(model: ProviderServer, redis_server: RedisServer) -> Iterator[list[str]]:
    """Two replicas on one Redis."""
    with ExitStack() as stack:
        yield [stack.enter_context(running_service(settings(model, redis_server.url))) for _ in range(2)]


@pytest.fixture
def provider(model: ProviderServer, redis_url: str) -> ProviderServer:
    model.reset()
    return model


def score(url: str, **fields: object) -> httpx2.Response:
    return httpx2.post(f"{url}/score", json=BODY | fields, timeout=PATIENCE)


def test_twelve_calls_then_none_on_either_replica(provider: ProviderServer, urls: list[str]) -> None:
    first = score(urls[0])
    assert first.status_code == 200
    assert provider.calls == len(CORE)
    assert first.headers["cache-status"] == 'crs-eval; fwd=miss; detail="hits=0/12"'
    for url in urls:
        again = score(url)
        assert again.headers["cache-status"] == "crs-eval; hit"
        assert provider.calls == len(CORE)
        assert again.json()["comparison_key"] == first.json()["comparison_key"]
        assert again.json()["usage"]["input_tokens"] == 0
        pairs = zip(again.json()["verdicts"], first.json()["verdicts"], strict=True)
        assert all(hit["score"] == miss["score"] for hit, miss in pairs)


@pytest.mark.parametrize(("path", "rest"), [("/score", {}), ("/evaluate", {"debate": False})])
def test_grouped_factors_are_warned_of_once_an_answer(
    provider: ProviderServer, urls: list[str], path: str, rest: dict[str, Any]
) -> None:
    def warned(**fields: object) -> list[tuple[str, bool]]:
        answer = httpx2.post(f"{urls[0]}{path}", json=BODY | rest | fields, timeout=PATIENCE).json()
        return [(warning["code"], "/agreement" in warning["detail"]) for warning in answer["warnings"]]

    assert warned() == []
    for grouping in ("all", "dimension", "all"):
        assert warned(grouping=grouping, factors=["core"]) == [("grouped", True)]
    assert warned(grouping="all", factors=["coherence"]) == []
    assert warned(grouping="all", judge="builtin") == []


def test_a_factor_goes_to_the_judge_that_the_operator_chose_for_it(provider: ProviderServer) -> None:
    chosen = settings(provider) | {
        "JUDGE_NOVELTY": "local:qwen3-32b",
        "JUDGE_GRAMMATICAL_CORRECTNESS": "builtin",
    }
    with running_service(chosen) as url:
        answer = score(url).json()
    judges = {verdict["factor"]: verdict["judge"] for verdict in answer["verdicts"]}
    assert judges["novelty"] == {"name": "local", "model": "qwen3-32b"}
    assert judges["grammatical-correctness"]["name"] == "builtin"
    assert judges["coherence"]["model"] == "gpt-4o-mini"
    assert provider.calls == len(CORE) - 1
