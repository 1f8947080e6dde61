"""`make soak`: the service under mixed load for `--seconds`, and whether it stays as it was.

    python -m tools.soak --seconds 600

One service process runs beside a local provider of models that fails now and then. Callers score, debate, evaluate, simulate,
send batches and wrong bodies, read event streams, and leave half-way. Every second the service's memory and open files are read;
they must be flat from the second third on. Everything must be answered with the status it should have, and at rest nothing may
be left over."""

import argparse
import asyncio
import contextlib
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from tests.provider.behaviours import Answer, Behaviour, Latency, Reset, Status, rate_limited
from tests.provider.server import ProviderServer
from tools.distinct import distinct
from tools.hostile_load import hostile_requests
from tools.service_process import ROOT, running, with_children

CALLERS = 8
MOST_GROWTH = 0.10
SLACK = 24 * 2**20
"""Bytes that memory may grow beside its share: allocators give back in pieces."""
LEFT_OVER = 5
NDJSON = {"Content-Type": "application/x-ndjson"}
HOSTILE = 0.1
"""The share of requests that are hostile."""

LOGS: list[dict[str, Any]] = [
    json.loads(path.read_text())["log"] for path in sorted((ROOT / "examples" / "logs").glob("*.json"))
]


MODEL = {"judge": "local:gpt-4o-mini", "factors": ["coherence", "novelty"]}
POSTS: list[tuple[str, Mapping[str, object], Set[int]]] = [
    *[("/score", {}, {200})] * 2,
    *[("/score", MODEL, {200, 502, 504})] * 2,
    ("/debate", {}, {200}),
    ("/evaluate", {"debate": False}, {200}),
    ("/score", {"log": {"messages": []}, "factor": "x"}, {422}),
]
"""Routes with fields beside the log, and the statuses that may come: the embedded judge, a model that fails now and then, roles
that speak by rule, an evaluation, and a wrong body."""


@dataclass
class Sample:
    """The service at one moment: bytes of the process that serves, bytes of its workers and what forks them, open files."""

    service: int
    workers: int
    files: int


@dataclass
class Run:
    """Counts of answers, and of those that should not have been; and the state of the service: at rest before and after, and every
    second in between."""

    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    rests: list[Sample] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    probes: list[float] = field(default_factory=list)


class Callers:
    """Callers, each with its own way of asking; `answer` notes what came and whether it should have."""

    def __init__(self, url: str, run: Run, seed: int) -> None:
        self._client = httpx2.AsyncClient(base_url=url, timeout=60)
        self._run = run
        self._random = random.Random(seed)
        self._ways: list[Callable[[], Awaitable[None]]] = [
            *(partial(self.post, *one) for one in POSTS),
            *(self.simulate, self.batch, self.stream, self.leave),
        ]

    async def until(self, deadline: float) -> None:
        """Keep asking."""
        async with self._client:
            while time.monotonic() < deadline:
                hostile = self._random.random() < HOSTILE
                await (self.attack if hostile else self._random.choice(self._ways))()

    async def every_way(self) -> None:
        """Ask once in each way, and stop."""
        async with self._client:
            for way in self._ways:
                await way()

    def _log(self) -> dict[str, Any]:
        log: dict[str, Any] = json.loads(json.dumps(self._random.choice(LOGS)))
        log["messages"] = distinct(log["messages"], self._random.randrange(1 << 30))
        return log

    async def post(self, path: str, more: Mapping[str, object], right: Set[int]) -> None:
        """Ask about a log. Some answers of a model come from the cache."""
        response = await self._client.post(path, json={"log": self._log(), **more})
        self._note(path, response.status_code, right)

    def _note(self, path: str, status: int, right: Set[int]) -> None:
        self._run.statuses[f"{path} {status}"] += 1
        if status not in right:
            self._run.wrong.append(f"{path}: {status}")

    async def attack(self) -> None:
        """A request that once stopped the service."""
        path, body = self._random.choice([*hostile_requests().values()])
        headers = {"Content-Type": "application/json"}
        response = await self._client.post(path, content=body, headers=headers)
        self._note(f"hostile {path}", response.status_code, {200, 400, 413, 422, 503, 504})

    async def simulate(self) -> None:
        """The next message of a scripted user."""
        log = self._log()
        while log["messages"][-1]["role"] == "user":
            log["messages"].pop()
        log.pop("outcome", None)  # its message may be gone
        log["user"] = {"persona": "trust", "age_group": "adults", "attributes": ["calm", "drama"]}
        await self.post("/simulate", {"log": log, "simulator": {"type": "scripted"}}, {200})

    async def batch(self) -> None:
        """Thirty lines, one of them wrong."""
        lines = [
            json.dumps({"custom_id": str(n), "path": "/score/coherence", "body": {"log": self._log()}})
            for n in range(30)
        ]
        response = await self._client.post("/batch", content="\n".join([*lines, "{"]), headers=NDJSON)
        self._note("/batch", response.status_code, {200, 503})
        if response.status_code == 200:
            counts = Counter(json.loads(text)["status"] for text in response.text.splitlines())
            if counts != Counter({200: 30, 400: 1}):
                self._run.wrong.append(f"/batch: {dict(counts)}")

    async def stream(self) -> None:
        """Event by event, to the end."""
        async with self._streaming() as response:
            events = [line async for line in response.aiter_lines() if line.startswith("event:")]
        self._note("/score (events)", 200 if events[-1] == "event: done" else 0, {200})

    async def leave(self) -> None:
        """Go after the first piece of an answer."""
        async with self._streaming() as response:
            async for _ in response.aiter_bytes():
                break
        self._run.statuses["left half-way"] += 1

    def _streaming(self) -> contextlib.AbstractAsyncContextManager[httpx2.Response]:
        headers = {"Accept": "text/event-stream"}
        return self._client.stream("POST", "/score", json={"log": self._log()}, headers=headers)


def moody() -> Callable[[Any], Behaviour]:
    """A provider that fails every tenth time."""
    source = random.Random(7)
    troubles: list[Behaviour] = [rate_limited(0.05), Status(503), Reset(), Reset(amid=True)]

    def choose(_: Any) -> Behaviour:
        return source.choice(troubles) if source.random() < 0.1 else Answer()

    return choose


def _sample() -> Sample:
    """Read what the kernel says of the service, the only process that this one starts."""
    _, service, *workers = with_children(os.getpid())
    files = len(list(Path(f"/proc/{service}/fd").iterdir()))
    return Sample(memory_of(service), sum(map(memory_of, workers)), files)


def memory_of(pid: int) -> int:
    """Bytes that a process holds, those that it shares with others by their share; none once it is gone."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return next(int(row.split()[1]) * 1024 for row in text.splitlines() if row.startswith("Pss:"))
    return 0


async def soak(seconds: float) -> Run:
    """Load for so many seconds, with a rest before and after."""
    run = Run()
    with ProviderServer(moody(), Latency(0.02, 0.5)) as provider, tempfile.TemporaryDirectory() as folder:
        settings = {
            "CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url,
            "CRS_EVAL_JUDGES": "builtin,local:*",
            "CRS_EVAL_CACHE_BYTES": str(2**21),
            "CRS_EVAL_LOG_LEVEL": "warning",
            "CRS_EVAL_REQUEST_TIMEOUT": "20",
        }
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")}
        log = Path(folder) / "log"
        with running({**inherited, **settings}, log) as url:
            # So that from then on all workers are there, and all that is loaded at first use: an SDK takes 40 MB.
            await asyncio.gather(*(Callers(url, Run(), n).attack() for n in range(CALLERS)))
            await asyncio.gather(*(Callers(url, Run(), n).every_way() for n in range(CALLERS)))
            warm = time.monotonic() + min(30.0, seconds / 6)
            await asyncio.gather(*(Callers(url, Run(), n).until(warm) for n in range(CALLERS)))
            run.rests.append(await _rested())
            await _load(run, url, seconds)
            run.rests.append(await _rested())
            if "defect" in log.read_text():
                run.wrong.append("the log tells of a defect")
    return run


async def _load(run: Run, url: str, seconds: float) -> None:
    """Let the callers ask, and look at the service every second."""
    deadline = time.monotonic() + seconds
    load = asyncio.gather(*(Callers(url, run, 100 + n).until(deadline) for n in range(CALLERS)))
    async with httpx2.AsyncClient(base_url=url, timeout=60) as prober:
        while not load.done():
            await asyncio.wait([load], timeout=1.0)
            run.samples.append(_sample())
            asked = time.perf_counter()
            (await prober.get("/healthz")).raise_for_status()
            run.probes.append(time.perf_counter() - asked)
    await load


async def _rested() -> Sample:
    """The service once its keep-alive connections are gone: idle ones go after five seconds, those to providers when
    they are next looked through, up to as long again."""
    await asyncio.sleep(15)
    return _sample()


def faults(run: Run) -> list[str]:
    """Return what is not as it should be."""
    before, after = run.rests
    third = max(1, len(run.samples) // 3)
    early, late = _middle(run.samples[third : 2 * third]), _middle(run.samples[-third:])
    found = [f"{text} ({times} times)" for text, times in Counter(run.wrong).items()]
    sizes = {"service": (early.service, late.service), "workers": (early.workers, late.workers)}
    for name, (first, last) in sizes.items():
        if last > first * (1 + MOST_GROWTH) + SLACK:
            found.append(f"memory of the {name} grew from {_mb(first)} to {_mb(last)}")
    if after.files > before.files + LEFT_OVER:
        found.append(f"files at rest: {before.files} before, {after.files} after")
    # Batches come and go: the most at a time is steadier than the middle.
    first, last = (
        max(sample.files for sample in part) for part in (run.samples[: 2 * third], run.samples[-third:])
    )
    if last > 1.5 * first + LEFT_OVER * CALLERS:
        found.append(f"files under load: at most {first}, then {last}")
    return found


def _middle(samples: Sequence[Sample]) -> Sample:
    columns = zip(*map(astuple, samples), strict=True)
    return Sample(*(int(statistics.median(column)) for column in columns))


def _mb(size: float) -> str:
    return f"{size / 2**20:.0f} MB"


def show(run: Run) -> None:
    """Print the state of the service in ten parts of the run, and what it answered."""
    before, after = run.rests
    step = max(1, len(run.samples) // 10)
    parts = {
        f"{start}-{start + step} s": _middle(run.samples[start : start + step])
        for start in range(0, len(run.samples), step)
    }
    for name, one in {"at rest, before": before, **parts, "at rest, after": after}.items():
        print(f"{name:18} service {_mb(one.service)}, its workers {_mb(one.workers)}, {one.files} open files")
    for what, times in sorted(run.statuses.items()):
        print(f"{what:40} {times} times")
    middle, most = (1e3 * value for value in (statistics.median(run.probes), max(run.probes)))
    print(f"/healthz, asked every second beside this: median {middle:.0f} ms, at most {most:.0f} ms.")


def main() -> int:
    """Soak; the exit code says whether all was as it should be."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    run = asyncio.run(soak(parser.parse_args().seconds))
    show(run)
    found = faults(run)
    for fault in found[:20]:
        print(f"wrong: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
