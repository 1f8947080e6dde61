"""Processes that a test may stop or kill, and a provider that misbehaves by plan."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.factories import in_turns
from tests.patience import PATIENCE, wait_for
from tests.provider.behaviours import Behaviour
from tests.provider.server import ProviderServer
from tests.replica import Replica

JUDGE = "local:gpt-4o-mini"


Start = Callable[..., Replica]


@pytest.fixture
def provider(model: ProviderServer) -> ProviderServer:
    """A provider that answers well until a test changes its behaviour."""
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
    wait_for(lambda: provider.calls >= number, lambda: f"{provider.calls} calls of {number}")


def storm(mix: Mapping[Behaviour | None, int]) -> Callable[[Any], Behaviour]:
    """A provider that behaves in each way as often as its weight says; None is its usual answer."""
    from tests.provider.behaviours import Answer

    source = random.Random(7)
    ways, weights = list(mix), list(mix.values())

    def choose(_: Any) -> Behaviour:
        return source.choices(ways, weights)[0] or Answer()

    return choose


def log_number(number: int) -> dict[str, Any]:
    """A log of our own that no other number shares."""
    return {
        "messages": in_turns(
            f"Something calm for evening {number}, please.",
            f"Try Paper Lanterns, part {number}: slow, and set by the sea.",
        )
    }
