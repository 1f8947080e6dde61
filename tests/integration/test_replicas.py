"""Three replicas of the service behind a real nginx, with one Redis: what they share, and a rolling
restart under load."""

import asyncio
import json
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.nginx_server import NginxServer
from tests.patience import PATIENCE, REDIS_TIMEOUT
from tests.provider.behaviours import Answer, Held, Latency
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of
from tests.redis_server import RedisServer
from tests.registries import CORE
from tests.replica import Replica
from tools.programs import advice, ensure_tool
from tools.service_process import ROOT
from tools.toolchains import UnavailableError

LOG: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
MEMBERS = 3


def asks(words: str) -> dict[str, str]:
    """A first message that no other log has."""
    return {"role": "user", "content": f"Hello. I look for a film, number {words}."}


class Cluster:
    """Replicas, and the address in front of them."""

    def __init__(self, replicas: list[Replica], nginx: NginxServer, provider: ProviderServer) -> None:
        self.replicas = replicas
        self.nginx = nginx
        self.provider = provider
        self.url = nginx.url

    def roll(self) -> None:
        """Restart one replica after the other: out of the rotation, stopped, started, back again."""
        for leaving in self.replicas:
            self.nginx.serve([replica.port for replica in self.replicas if replica is not leaving])
            assert leaving.stop() in (0, -signal.SIGTERM)
            leaving.start()
            leaving.wait_ready()
            self.nginx.serve([replica.port for replica in self.replicas])


def nginx_program() -> Path:
    """Return the program. Raises UnavailableError where it cannot be had."""
    binary = ensure_tool("nginx")
    if binary is None:
        raise UnavailableError(f"NOT RUN: three replicas behind nginx: no nginx; {advice('nginx')}")
    return binary


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory,
    redis_server: RedisServer,
    have: Callable[[Callable[[], Path]], Path],
) -> Iterator[Cluster]:
    binary = have(nginx_program)
    with ProviderServer() as provider:
        settings = {
            "UPSTREAM_LOCAL": provider.openai_url,
            "JUDGE": "local:gpt-4o-mini",
            "REDIS_URL": redis_server.url,
            "REDIS_TIMEOUT": f"{REDIS_TIMEOUT}",
        }
        replicas = [Replica(settings) for _ in range(MEMBERS)]
        try:
            for replica in replicas:
                replica.wait_ready()
            folder: Path = tmp_path_factory.mktemp("nginx")
            with NginxServer(binary, folder, [replica.port for replica in replicas]) as nginx:
                yield Cluster(replicas, nginx, provider)
        finally:
            for replica in replicas:
                replica.stop()


@pytest.fixture(autouse=True)
def forgotten(cluster: Cluster, redis_url: str) -> None:
    cluster.provider.reset()


def test_events_come_through_as_they_happen(cluster: Cluster) -> None:
    gate = threading.Event()
    cluster.provider.default = lambda payload: (
        Held(gate) if "Now judge novelty," in prompt_of(payload) else Answer()
    )
    events: list[str] = []
    verdicts: list[dict[str, Any]] = []
    with httpx2.stream(
        "POST",
        f"{cluster.url}/score",
        json={"log": LOG},
        headers={"Accept": "text/event-stream"},
        timeout=PATIENCE,
    ) as response:
        for line in response.iter_lines():
            if line.startswith("event: "):
                events.append(line.removeprefix("event: "))
            if line.startswith("data: ") and events[-1] == "verdict":
                verdicts.append(json.loads(line.removeprefix("data: ")))
                if len(verdicts) == len(CORE) - 1:  # the others, while one is still asked
                    gate.set()
    assert events == ["verdict"] * len(CORE) + ["done"]
    assert verdicts[-1]["factor"] == "novelty"
    assert {verdict["status"] for verdict in verdicts} == {"scored"}


def test_lines_of_a_batch_come_back_while_others_are_asked(cluster: Cluster) -> None:
    gate = threading.Event()
    cluster.provider.default = lambda payload: Held(gate) if "slow one" in str(payload) else Answer()
    lines = [
        {
            "custom_id": words,
            "path": "/score/coherence",
            "body": {"log": LOG | {"messages": [asks(words), *LOG["messages"][1:]]}},
        }
        for words in ("slow one", *(f"quick {number}" for number in range(9)))
    ]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    headers = {"Content-Type": "application/x-ndjson"}
    came: list[str] = []
    with httpx2.stream(
        "POST", f"{cluster.url}/batch", content=body, headers=headers, timeout=PATIENCE
    ) as response:
        for text in response.iter_lines():
            line = json.loads(text)
            assert line["status"] == 200
            came.append(line["custom_id"])
            if len(came) == 9:
                gate.set()
    assert came[-1] == "slow one"
    assert len(came) == 10


async def test_a_rolling_restart_under_load_loses_no_request(cluster: Cluster) -> None:
    cluster.provider.latency = Latency(0.2)
    rolling = asyncio.create_task(asyncio.to_thread(cluster.roll))
    statuses: list[int] = []

    async def load(client: httpx2.AsyncClient, worker: int) -> None:
        number = 0
        while not rolling.done():
            number += 1
            log = LOG | {"messages": [asks(f"{worker} {number // 3}"), *LOG["messages"][1:]]}
            answer = await client.post(f"{cluster.url}/score/coherence", json={"log": log})
            statuses.append(answer.status_code)
            assert answer.json()["status"] == "scored"

    # A connection for each request: nginx closes idle ones when it rereads its settings, and what is sent in that
    # moment is lost before anyone has accepted it. Clients send that again; here nothing may hide what a replica drops.
    async with httpx2.AsyncClient(
        timeout=PATIENCE, limits=httpx2.Limits(max_keepalive_connections=0)
    ) as client:
        await asyncio.gather(*(load(client, worker) for worker in range(8)))
    await rolling
    assert set(statuses) == {200}
    assert len(statuses) > 50
