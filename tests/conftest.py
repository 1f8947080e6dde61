"""Shared parts of all suites: the event loop, and a guard that keeps tests off every network but loopback."""

import gc
import ipaddress
import logging
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx2
import pytest
import structlog
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests import forked
from tests.order import ByFile, is_nightly, place
from tests.patience import PATIENCE
from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer
from tools import example_crs, service_process, toolchains

T = TypeVar("T")

# The gate walks the same examples everywhere and at any load; `make fuzz` looks for new ones.
hypothesis_settings.register_profile(
    "gate", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.register_profile(
    "search", max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what asks for a toolchain, mark what runs at night alone, and put the longest files first."""
    for item in items:
        if is_nightly(item.nodeid):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.nightly)
        if "have" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: place(item.nodeid))


def pytest_collection_finish() -> None:
    """Freeze the objects that are imported and collected: the garbage collector need not walk them again while tests run, nor
    run as often as in a small program."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name the tests that were skipped, in one line, each reason with its tests."""
    by_reason: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("skipped", ()):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        by_reason.setdefault(reason.removeprefix("Skipped: "), []).append(report.nodeid)
    if by_reason:
        summary = "; ".join(f"{reason}: {', '.join(sorted(names))}" for reason, names in by_reason.items())
        terminalreporter.write_line(f"NOT RUN: {summary}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    """Return what hands out the tests where they are to stay together by files."""
    if config.getoption("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def plain_logging() -> tuple[list[logging.Handler], int, dict[str, Any]]:
    """Return how the loggers of the process stand before any test."""
    root = logging.getLogger()
    return root.handlers[:], root.level, structlog.get_config()


@pytest.fixture(autouse=True)
def logging_as_it_was(plain_logging: tuple[list[logging.Handler], int, dict[str, Any]]) -> Iterator[None]:
    """Undo what a test, or a fixture that outlives it, does to the loggers of the process."""
    handlers, level, configured = plain_logging
    root = logging.getLogger()
    root.setLevel(level)
    structlog.configure(**configured)
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**configured)


@pytest.fixture(scope="session", autouse=True)
def patient_clients() -> Iterator[None]:
    """Clients that name no timeout would give up after five seconds."""
    usual = httpx2.Timeout(PATIENCE)
    with pytest.MonkeyPatch.context() as patch:
        for part in ("connect", "read", "write", "pool"):
            patch.setattr(httpx2._config.DEFAULT_TIMEOUT_CONFIG, part, getattr(usual, part))
        yield


@pytest.fixture(scope="session", autouse=True)
def forked_services() -> Iterator[None]:
    """Services and example recommenders that tests start are forks of a process that has imported them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service_process, "start", forked.start_service)
        patch.setattr(example_crs, "start", forked.start_crs)
        yield


def is_local(address: object) -> bool:
    """Return whether a socket address stays on this machine: a path, or a loopback host and port."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host in {"localhost", ""}


@pytest.fixture(scope="session", autouse=True)
def outside_attempts() -> Iterator[list[str]]:
    """Refuse every connection that would leave the machine, and remember who was asked for.

    An SDK wraps the refusal in a connection error that a test may well expect; the list makes the
    test fail all the same."""
    attempts: list[str] = []
    plain = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex", "sendto")}

    def guarded(name: str) -> object:
        def attempt(self: socket.socket, *arguments: object) -> object:
            address = arguments[-1]
            if self.family in {socket.AF_INET, socket.AF_INET6} and not is_local(address):
                attempts.append(str(address))
                raise OSError(f"tests may not leave this machine: {address}")
            return plain[name](self, *arguments)

        return attempt

    with pytest.MonkeyPatch.context() as patch:
        for name in plain:
            patch.setattr(socket.socket, name, guarded(name))
        yield attempts


@pytest.fixture(autouse=True)
def no_outside_network(outside_attempts: list[str]) -> Iterator[None]:
    """Fail the test that tried to reach another machine."""
    outside_attempts.clear()
    yield
    assert not outside_attempts, f"the test tried to reach {outside_attempts}"


@pytest.fixture(scope="session")
def have() -> Callable[[Callable[[], T]], T]:
    """Fetches a toolchain, or skips, saying why; where all toolchains are required, it fails."""

    def fetch(toolchain: Callable[[], T]) -> T:
        try:
            return toolchain()
        except toolchains.UnavailableError as reason:
            if toolchains.required():
                pytest.fail(str(reason))
            pytest.skip(str(reason))

    return fetch


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One Redis for all tests that leave it alone."""
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """An empty Redis."""
    assert redis_server.ask("FLUSHALL") == "+OK"
    return redis_server.url


@pytest.fixture(scope="module")
def model() -> Iterator[ProviderServer]:
    """A provider of language models on loopback, for services of a module."""
    with ProviderServer() as server:
        yield server
