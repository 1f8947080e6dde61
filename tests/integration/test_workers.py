"""Requests in worker processes: a fair queue, deadlines that hold, and a worker that fails takes no request with it."""

import asyncio
import contextlib
import hashlib
import http.client
import json
import multiprocessing
import os
import signal
import statistics
import subprocess
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Send

from benchmarks.hostile import measure
from service.api.middleware.offload import Offload
from service.app import create_app
from service.errors import CallerGone, Overloaded
from service.llm.stack import Stack
from service.settings import Settings
from service.workers.delegation import GRACE
from service.workers.messages import HttpWork, RequestEnded, ResponseChunk
from service.workers.pool import Exchange, Pool, WorkerLost, WorkerProcess, WorkerSetup
from tests import forked
from tests.factories import in_turns
from tests.integration.http_exchange import logged_service
from tests.live_process import running_live
from tests.patience import PATIENCE, wait_for
from tests.provider.behaviours import Held
from tests.provider.server import ProviderServer
from tests.registries import CORE
from tools.hostile_load import hostile_posts, hostile_requests
from tools.service_process import free_port, start, with_children
from tools.service_process import wait_for as wait_for_service

JUDGE = "local:gpt-4o-mini"
LOG: dict[str, Any] = {
    "system": "alpha",
    "messages": in_turns("Something calm, please.", "Try Paper Lanterns: slow, and set by the sea."),
}
LARGE = LOG | {"metadata": {"note": "x" * 10_000}}


@pytest.fixture
def client(provider: ProviderServer) -> Iterator[TestClient]:
    settings = Settings(
        upstreams={"local": provider.openai_url},
        upstream_keys={"local": "sk-secret"},
        judges=("builtin", "local:*"),
        workers=1,
    )
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(autouse=True)
def others() -> Iterator[None]:
    """Workers of other tests' applications."""
    OTHERS[:] = multiprocessing.active_children()
    yield
    OTHERS.clear()


OTHERS: list[BaseProcess] = []


def workers() -> list[BaseProcess]:
    return [process for process in multiprocessing.active_children() if process not in OTHERS]


def worker() -> BaseProcess:
    """The one worker of the test's application, once there is one."""
    wait_for(lambda: bool(workers()))
    [only] = workers()
    return only


def judged(client: TestClient, **fields: object) -> Any:
    return client.post("/score", json={"log": LARGE} | fields)


def test_requests_of_any_size_are_judged_by_a_worker_that_is_there_from_the_start(client: TestClient) -> None:
    first = worker()
    small = client.post("/score", json={"log": LOG}).json()
    large = judged(client)
    assert large.json()["verdicts"] == small["verdicts"]
    assert large.headers.keys() == client.post("/score", json={"log": LOG}).headers.keys()
    assert worker() is first
    text = client.get("/metrics").text
    counted = [line for line in text.splitlines() if line.startswith("crs_eval_verdicts_total{")]
    assert sum(float(line.rpartition(" ")[2]) for line in counted) == 3 * len(CORE)
    assert 'http_route="/score"' in text


def test_models_are_asked_by_the_process_that_serves(provider: ProviderServer, client: TestClient) -> None:
    first = judged(client, judge=JUDGE)
    asked = sum(verdict["prompt_hash"] is not None for verdict in first.json()["verdicts"])
    assert provider.calls == asked > 0
    assert {request.headers["authorization"] for request in provider.received} == {"Bearer sk-secret"}
    second = judged(client, judge=JUDGE)
    assert second.headers["cache-status"] == "crs-eval; hit"
    third = judged(client, judge=JUDGE)
    assert third.content == second.content
    assert provider.calls == asked


def test_a_stream_comes_event_by_event(client: TestClient) -> None:
    answer = client.post("/score", json={"log": LARGE}, headers={"Accept": "text/event-stream"})
    names = [line.removeprefix("event: ") for line in answer.text.splitlines() if line.startswith("event: ")]
    assert names == ["verdict"] * len(CORE) + ["done"]


def test_a_killed_worker_is_replaced_and_its_request_given_to_another(client: TestClient) -> None:
    judged(client)
    first = worker()
    assert first.pid
    os.kill(first.pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(judged, client, cache="off")
        time.sleep(0.2)  # so that the request is with the worker; if not, the test shows less
        first.kill()
        assert answer.result(PATIENCE).status_code == 200
    assert worker().pid != first.pid


EMPTY = HttpWork({}, b"")
TURNLESS = Pool(0, cast(WorkerSetup, None), cast(Stack, None), print)
"""Workers that are always at something else."""


async def shed(seconds: float, counts: Counter[str], send: Send) -> None:
    """A request that asks for one of those workers, from a caller that stays."""
    body = iter([{"type": "http.request", "body": b"{}"}])

    async def receive() -> Any:
        return next(body, None) or await asyncio.Event().wait()

    state = {"request_id": "r1"}
    scope = {"type": "http", "method": "POST", "path": "/score", "headers": [], "state": state}
    await Offload(cast(ASGIApp, None), TURNLESS, 1000, seconds, counts)(scope, receive, send)


async def test_a_large_request_that_has_no_turn_in_time_is_told_to_come_back() -> None:
    async def send(message: object) -> None:
        pytest.fail(f"answered {message}")

    counts: Counter[str] = Counter()
    with pytest.raises(Overloaded) as refused:
        await shed(0.1, counts, send)
    assert refused.value.retry_after
    assert counts == {"shed": 1}


@pytest.mark.parametrize(
    ("seconds", "ended", "problem"),
    [(PATIENCE, True, "/problems/internal-error"), (-GRACE + 0.1, False, "/problems/deadline-exceeded")],
)
async def test_a_stream_whose_worker_is_gone_ends_with_the_problem(
    monkeypatch: pytest.MonkeyPatch, seconds: float, ended: bool, problem: str
) -> None:
    """A worker that is ended takes its other requests with it: their callers get an error event in their stream."""
    said = [
        {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]},
        {"type": "http.response.body", "body": b"id: 1\nevent: verdict\ndata: {}\n\n", "more_body": True},
    ]

    @contextlib.asynccontextmanager
    async def exchange(*_: object) -> AsyncIterator[Exchange]:
        begun = Exchange(1, cast(Any, None), None)
        for message in said:
            begun.inbox.put_nowait(ResponseChunk(1, message))
        if ended:
            begun.end(WorkerLost())
        yield begun

    monkeypatch.setattr(TURNLESS, "exchange", exchange)
    sent: list[Any] = []

    async def send(message: object) -> None:
        sent.append(message)

    await shed(seconds, Counter(), send)
    assert sent[:2] == said
    number, name, data = sent[2]["body"].decode().splitlines()[:3]
    assert (number, name, sent[2]["more_body"]) == ("id: 2", "event: error", False)
    event = json.loads(data.removeprefix("data: "))
    assert (event["type"], event["request_id"]) == (problem, "r1")


async def test_a_caller_that_leaves_while_its_request_waits_is_forgotten() -> None:
    gone = asyncio.create_task(asyncio.sleep(0))
    with pytest.raises(CallerGone):
        async with asyncio.timeout(PATIENCE), TURNLESS.exchange(EMPTY, gone, 0.0):
            pass


async def test_a_worker_that_starts_for_a_caller_who_leaves_is_the_next_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, go, sent, starts = asyncio.Event(), asyncio.Event(), [], []

    class Link:
        def send(self, message: Any) -> None:
            sent.append(message.number)

        def close(self) -> None:
            pass

    async def start(pool: Pool) -> WorkerProcess:
        starts.append(pool)
        begun.set()
        await go.wait()
        worker = WorkerProcess(cast(BaseProcess, None), cast(Any, Link()), cast(Stack, None), print)
        pool._workers[worker] = asyncio.create_task(asyncio.sleep(0))
        return worker

    monkeypatch.setattr(Pool, "_start", start)
    pool, gone = (
        Pool(1, cast(WorkerSetup, None), cast(Stack, None), print),
        asyncio.create_task(asyncio.sleep(PATIENCE)),
    )

    async def ask() -> int:
        async with pool.exchange(EMPTY, gone, 0.0) as exchange:
            exchange.end(RequestEnded(exchange.number, 0.0))
            return exchange.number

    leaving = asyncio.create_task(ask())
    await begun.wait()
    leaving.cancel()
    await asyncio.wait({leaving})
    assert leaving.cancelled()
    following = asyncio.create_task(ask())
    await asyncio.sleep(0)
    go.set()
    async with asyncio.timeout(PATIENCE):
        number = await following
        await pool.aclose()
    assert sent == [number], "only the request that stayed was begun"
    assert starts == [pool], "by the worker that had started for the other"
    gone.cancel()


def test_a_worker_that_overruns_a_deadline_is_ended() -> None:
    with TestClient(create_app(Settings(workers=1, request_timeout=1))) as client:
        wait_for(lambda: judged(client).status_code == 200)  # a busy machine takes longer to start a worker
        first = worker()
        assert first.pid
        os.kill(first.pid, signal.SIGSTOP)
        answer = judged(client, cache="off")
        assert answer.status_code == 504
        assert answer.json()["type"] == "/problems/deadline-exceeded"
        wait_for(lambda: not first.is_alive())  # although nothing lets it go on
        wait_for(lambda: judged(client, cache="off").status_code == 200)


def test_a_small_request_of_another_key_is_judged_while_the_worker_of_one_is_held_back(
    tmp_path: Path,
) -> None:
    keys = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("many", "few")}
    settings = {"API_KEYS": ",".join(f"{name}:score:{key}" for name, key in keys.items()), "WORKERS": "1"}
    with serving(tmp_path, **settings) as (url, process), ThreadPoolExecutor(40) as pool:

        def judge(key: str) -> int:
            headers = {"Authorization": f"Bearer {key}"}
            body = {"log": LOG, "cache": "off"}
            return httpx2.post(f"{url}/score", json=body, headers=headers, timeout=PATIENCE).status_code

        [held] = {*with_children(process.pid)} - {process.pid, *children(process.pid)}
        os.kill(held, signal.SIGSTOP)
        many = [pool.submit(judge, "many") for _ in range(20)]
        assert judge("few") == 200
        assert not any(one.done() for one in many)
        os.kill(held, signal.SIGCONT)
        assert {one.result() for one in many} == {200}


@pytest.mark.slow
def test_a_request_that_spends_its_cpu_time_is_refused_and_its_worker_replaced() -> None:
    talk = in_turns(*(f"Calm evening {n} by the sea. " * 40 for n in range(600)))
    with TestClient(create_app(Settings(workers=1, request_cpu=2.0))) as client:
        first = worker()
        answer = client.post("/score", json={"log": {"messages": talk}, "cache": "off"})
        assert (answer.status_code, answer.json()["type"]) == (413, "/problems/too-costly")
        assert not answer.json()["retryable"]
        assert client.post("/score", json={"log": LOG, "cache": "off"}).status_code == 200
        assert worker() is not first


def test_a_caller_that_leaves_ends_the_calls_of_its_request(tmp_path: Path) -> None:
    with (
        ProviderServer(Held(threading.Event())) as provider,
        logged_service(tmp_path / "log", UPSTREAM_LOCAL=provider.openai_url, JUDGES="local:*") as url,
    ):
        with contextlib.closing(http.client.HTTPConnection(url.removeprefix("http://"))) as caller:
            body = json.dumps({"log": LARGE, "judge": JUDGE})
            caller.request("POST", "/score", body, {"Content-Type": "application/json"})
            wait_for(lambda: provider.in_flight > 0)
        wait_for(lambda: provider.in_flight == 0)


def test_a_caller_that_leaves_in_the_middle_of_a_stream_is_no_defect(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": f"Something calm for evening {n}, please."} for n in range(300)]
    with logged_service(tmp_path / "service.log") as url:
        events = {"Accept": "text/event-stream"}
        for number in range(3):
            body = {"log": {"messages": talk, "metadata": {"number": str(number)}}}
            with httpx2.stream("POST", f"{url}/score", json=body, headers=events, timeout=PATIENCE) as answer:
                assert next(answer.iter_lines())
        assert httpx2.post(f"{url}/score", json={"log": LARGE}, timeout=PATIENCE).status_code == 200
    log = (tmp_path / "service.log").read_text()
    assert "defect" not in log
    assert "Exception" not in log


def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    with serving(tmp_path) as (url, process):
        assert httpx2.post(f"{url}/score", json={"log": LARGE}).status_code == 200
        _, *family = with_children(process.pid)
        assert len(family) >= 2
        process.kill()
        process.wait(PATIENCE)
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))


def test_probes_are_answered_while_hostile_requests_are_in_work(tmp_path: Path) -> None:
    with logged_service(tmp_path / "log", LOG_LEVEL="error") as url:
        took, statuses = asyncio.run(measure(url, 3.0, 16, hostile_requests().values()))
    assert statuses.total() > 0
    assert set(statuses) <= {200, 400, 413, 422, 503, 504}
    # All of them together take tens of seconds of CPU: a loop that waited for one would show it.
    assert statistics.median(took) < 0.1


def test_probes_of_live_are_answered_while_hostile_posts_are_read(tmp_path: Path) -> None:
    with running_live({"LOG_LEVEL": "error", "LIVE_DATABASE": "sqlite:///live.db"}, tmp_path) as url:
        took, statuses = asyncio.run(measure(url, 3.0, 16, hostile_posts().values()))
    assert set(statuses) == {200, 202, 400, 422}
    # Sixteen bodies that are read without a pause take over .15 s.
    assert statistics.median(took) < 0.1


@contextlib.contextmanager
def serving(folder: Path, **settings: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """A service in a process of its own that a test may kill; yields its address and the process."""
    port = free_port()
    environment = forked.environment(**{f"CRS_EVAL_{name}": value for name, value in settings.items()})
    with (
        (folder / "service.log").open("wb+") as log,
        start(["--port", str(port)], environment, log) as process,
    ):
        try:
            wait_for_service(port, process, log)
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.kill()


def children(pid: int) -> list[int]:
    """The processes that a process started itself."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]
