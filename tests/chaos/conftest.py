"""Processes that a test may stop or kill, and a provider that misbehaves by plan."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.patience import PATIENCE
from tests.provider.behaviours import Behaviour
from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer
from tools.service_process import ROOT, answers, free_port

JUDGE = "local:gpt-4o-mini"


class Replica:
    """`python -m service` that can be killed with requests in flight."""

    def __init__(self, settings: Mapping[str, str], log: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")}
        environment = {**inherited, **{f"CRS_EVAL_{name}": value for name, value in settings.items()}}
        with log.open("wb") as out:
            self.process = forked.Process(
                forked.SERVICE, ["--port", str(self.port)], cwd=ROOT, env=environment, stderr=out
            )

    def wait_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            if answers(self.port):
                return
            time.sleep(0.05)
        raise AssertionError("the service did not become ready")

    def stop(self) -> int:
        """Tell it to stop and wait. Returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


Start = Callable[..., Replica]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    assert redis_server.ask("FLUSHALL") == "+OK"
    return redis_server.url


@pytest.fixture(scope="module")
def model() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def provider(model: ProviderServer) -> ProviderServer:
    """A provider that answers well until it is told otherwise."""
    model.reset()
    return model


@pytest.fixture(scope="module")
def start(model: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts replicas that ask the provider; kills at the end what still runs."""
    running: list[Replica] = []
    folder = tmp_path_factory.mktemp("replicas")

    def begin(**settings: str) -> Replica:
        plain = {"UPSTREAM_LOCAL": model.openai_url, "JUDGE": JUDGE, "REQUEST_TIMEOUT": f"{PATIENCE}"}
        replica = Replica({**plain, **settings}, folder / f"{len(running)}.log")
        running.append(replica)
        replica.wait_ready()
        return replica

    yield begin
    for replica in running:
        if replica.process.poll() is None:
            replica.kill()


def wait_for_calls(provider: ProviderServer, number: int) -> None:
    """Return once the provider was asked that often."""
    deadline = time.monotonic() + PATIENCE
    while provider.calls < number:
        assert time.monotonic() < deadline, f"{provider.calls} calls of {number}"
        time.sleep(0.01)


def storm(mix: Mapping[Behaviour | None, int], seed: int = 7) -> Callable[[Any], Behaviour]:
    """A provider that behaves in each way as often as its weight says; None is its usual answer."""
    from tests.provider.behaviours import Answer

    source = random.Random(seed)
    ways, weights = list(mix), list(mix.values())

    def choose(_: Any) -> Behaviour:
        return source.choices(ways, weights)[0] or Answer()

    return choose


def log_number(number: int) -> dict[str, Any]:
    """A log of our own that no other number shares."""
    return {
        "messages": [
            {"role": "user", "content": f"Something calm for evening {number}, please."},
            {"role": "assistant", "content": f"Try Paper Lanterns, part {number}: slow, and set by the sea."},
        ]
    }
