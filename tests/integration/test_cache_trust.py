"""Trust in a shared cache: forged answers, answers of other keys, and who may replace them."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from redis import Redis
from starlette.testclient import TestClient

from service.app import create_app
from service.main import read_settings
from tests.factories import in_turns
from tests.patience import REDIS_TIMEOUT
from tests.provider.behaviours import Answer
from tests.provider.server import ProviderServer

OLD, NEW = "o" * 32, "n" * 32
ALICE, BOB = "alice-text", "bob-text"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def serving(provider: ProviderServer, **settings: str) -> Iterator[TestClient]:
    variables = {
        "UPSTREAM_LOCAL": provider.openai_url,
        "JUDGES": "local:*",
        "REDIS_TIMEOUT": str(REDIS_TIMEOUT),
        "WORKERS": "0",
        **settings,
    }
    app = create_app(read_settings({f"CRS_EVAL_{name}": value for name, value in variables.items()}))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def ask(client: TestClient, key: str | None = None, **fields: object) -> Any:
    body = {"log": {"messages": in_turns("Hi.", "Try Blue Hour.")}, "judge": "local:gpt-4o-mini", **fields}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return client.post("/score/coherence", json=body, headers=headers)


def said(score: int) -> Answer:
    return Answer(f'{{"rationale": "r", "evidence": [], "score": {score}}}')


def test_an_answer_that_was_not_signed_by_us_is_asked_for_again(
    provider: ProviderServer, redis_url: str
) -> None:
    provider.default = said(1)
    with serving(provider, REDIS_URL=redis_url) as unsigned:
        assert ask(unsigned).json()["score"] == 1
    provider.default = said(3)
    with serving(provider, REDIS_URL=redis_url, CACHE_KEY=NEW) as client:
        assert ask(client).json()["score"] == 3
        assert ask(client).json()["cached"]


def test_a_forged_answer_is_none_whatever_it_copies(provider: ProviderServer, redis_url: str) -> None:
    provider.default = said(1)
    with serving(provider, REDIS_URL=redis_url, CACHE_KEY=NEW) as client:
        ask(client)
        ask(client, samples=2)  # other keys, validly signed
        with Redis.from_url(redis_url) as redis:
            names = sorted(redis.keys("crs-eval:*"))
            assert len(names) == 3
            # The value of one key under the others: its signature is right, and for another question.
            kept = redis.get(names[0])
            for name in names[1:]:
                redis.set(name, kept)
        before = provider.calls
        fresh = [ask(client).json(), ask(client, samples=2).json()]
        assert provider.calls - before >= 2
        assert [verdict["score"] for verdict in fresh] == [1, 1]


def test_a_key_is_replaced_while_both_are_known(provider: ProviderServer, redis_url: str) -> None:
    with serving(provider, REDIS_URL=redis_url, CACHE_KEY=OLD) as client:
        ask(client)
    with serving(provider, REDIS_URL=redis_url, CACHE_KEY=f"{NEW},{OLD}") as client:
        assert ask(client).json()["cached"]
        ask(client, cache="refresh")
    with serving(provider, REDIS_URL=redis_url, CACHE_KEY=NEW) as client:
        assert ask(client).json()["cached"]
    with serving(provider, REDIS_URL=redis_url, CACHE_KEY=OLD) as client:
        assert not ask(client).json()["cached"]


API_KEYS = f"alice:score:{digest(ALICE)},bob:score+refresh:{digest(BOB)}"


def test_only_a_key_with_its_scope_replaces_answers(provider: ProviderServer) -> None:
    with serving(provider, API_KEYS=API_KEYS) as client:
        refused = ask(client, ALICE, cache="refresh")
        assert refused.status_code == 403
        assert "refresh" in refused.json()["detail"]
        assert provider.calls == 0
        body = {"cache": "refresh", "log": {"messages": in_turns("Hi.")}}
        line = {"custom_id": "a", "path": "/score/coherence", "body": body}
        headers = {"Authorization": f"Bearer {ALICE}", "Content-Type": "application/x-ndjson"}
        answer = client.post("/batch", json=line, headers=headers).json()
        assert answer["status"] == 403
        assert ask(client, BOB, cache="refresh").status_code == 200
    with serving(provider) as open_to_all:
        assert ask(open_to_all, cache="refresh").status_code == 200


def test_with_namespaces_nobody_gets_or_sees_what_others_asked(provider: ProviderServer) -> None:
    with serving(provider, API_KEYS=API_KEYS, CACHE_NAMESPACES="true") as client:
        for _ in range(3):
            ask(client, ALICE)
        assert provider.calls == 1
        assert ask(client, BOB, cache="only").json()["reason"]["code"] == "cache_miss"
        provider.default = said(0)
        assert ask(client, BOB).json()["score"] == 0
        assert ask(client, ALICE).json()["score"] != 0
    with serving(provider, API_KEYS=API_KEYS) as shared:
        ask(shared, ALICE)
        assert ask(shared, BOB).json()["cached"]


def test_authorities_may_be_for_the_redis_of_live_alone() -> None:
    found = read_settings(
        {"CRS_EVAL_REDIS_CA": __file__, "CRS_EVAL_LIVE_REDIS_URL": "rediss://h/0", "CRS_EVAL_OPEN": "true"}
    )
    assert str(found.redis_ca) == __file__
