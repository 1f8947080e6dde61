"""`make soak`: the service under mixed load for as long as it is told, and whether it stays as it was.

    python -m tools.soak --seconds 600 --report docs/soak.md

One service process runs beside a local provider of models that fails now and then. Callers score, debate, evaluate, simulate,
send batches and wrong bodies, read event streams, and leave half-way. Every second the service's memory, tasks and open files are
read; they must be flat from the second third on. Everything must be answered with the status it should have, and at rest nothing
may be left over."""

import argparse
import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.provider.behaviours import Latency
from tests.provider.server import ProviderServer
from tools.service_process import ROOT, free_port
from tools.soak_load import Callers, Came, moody

CALLERS = 8
MOST_GROWTH = 0.10
SLACK = 24 * 2**20
"""Bytes that memory may grow beside its share: allocators give back in pieces."""
LEFT_OVER = 5


@dataclass
class Sample:
    """The service at one moment."""

    second: float
    service: int
    """Bytes of the process that serves."""
    workers: int
    """Bytes of all processes that it started: its workers and what forks them."""
    tasks: int
    files: int

    @property
    def memory(self) -> int:
        """Bytes of all of them."""
        return self.service + self.workers


@dataclass
class Run(Came):
    """The outcome of a run, and the state of the service."""

    samples: list[Sample] = field(default_factory=list)
    rest_before: Sample | None = None
    rest_after: Sample | None = None
    probes: list[float] = field(default_factory=list)


class Service:
    """`python -m service`, with a thread that counts its tasks."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self._tasks = folder / "tasks"
        self.log = folder / "log"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")}
        environment |= {f"CRS_EVAL_{name}": value for name, value in settings.items()}
        self._environment = environment

    async def __aenter__(self) -> "Service":
        command = [
            sys.executable,
            "-m",
            "tools.soak",
            "--serve",
            self.url.rpartition(":")[2],
            str(self._tasks),
        ]
        with self.log.open("wb") as out:
            self._process = await asyncio.create_subprocess_exec(
                *command, cwd=ROOT, env=self._environment, stderr=out
            )
        for _ in range(600):
            if self._process.returncode is not None:
                break
            with contextlib.suppress(httpx2.TransportError):
                async with httpx2.AsyncClient() as client:
                    if (await client.get(f"{self.url}/readyz")).status_code == 200:
                        return self
            await asyncio.sleep(0.1)
        raise RuntimeError(f"the service did not become ready: {self.log.read_text()}")

    async def __aexit__(self, *_: object) -> None:
        self._process.terminate()
        await self._process.wait()

    def sample(self, second: float) -> Sample:
        """Read what the kernel and the counting thread say."""
        pid = self._process.pid
        workers = sum(_memory(one) for one in _descendants(pid))
        tasks = int(self._tasks.read_text() or 0) if self._tasks.exists() else 0
        return Sample(second, _memory(pid), workers, tasks, len(list(Path(f"/proc/{pid}/fd").iterdir())))


def _memory(pid: int) -> int:
    """Bytes that a process holds, those that it shares with others by their share; none once it is gone."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return next(int(row.split()[1]) * 1024 for row in text.splitlines() if row.startswith("Pss:"))
    return 0


def _descendants(pid: int) -> list[int]:
    """The processes that a process started, and theirs."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *_descendants(child)]
    return found


def serve(port: int, place: Path) -> int:
    """The service itself, in the main thread, and a thread that writes how many tasks there are."""
    from service.main import serve as run

    def count() -> None:
        while True:
            with contextlib.suppress(RuntimeError):  # the set changed under our hands: next time
                alive = sum(not task.done() for task in list(asyncio.tasks._all_tasks))  # type: ignore[attr-defined]
                fresh = place.with_suffix(".new")
                fresh.write_text(str(alive))
                fresh.replace(place)
            time.sleep(0.2)

    threading.Thread(target=count, daemon=True).start()
    return run("127.0.0.1", port)


async def soak(seconds: float) -> Run:
    """Load for so many seconds, with a rest before and after."""
    run = Run()
    with ProviderServer(moody(), Latency(0.02, 0.5)) as provider, tempfile.TemporaryDirectory() as place:
        settings = {
            "UPSTREAM_LOCAL": provider.openai_url,
            "JUDGES": "builtin,local:*",
            "CACHE_BYTES": str(2**21),
        }
        settings |= {"LOG_LEVEL": "warning", "REQUEST_TIMEOUT": "20"}
        async with Service(Path(place), settings) as service:
            # So that from then on all workers are there, and all that is loaded at first use: an SDK takes 40 MB.
            await asyncio.gather(*(Callers(service.url, Came(), n).attack() for n in range(CALLERS)))
            await asyncio.gather(*(Callers(service.url, Came(), n).every_way() for n in range(CALLERS)))
            warm = time.monotonic() + min(30.0, seconds / 6)
            await asyncio.gather(*(Callers(service.url, Came(), n).until(warm) for n in range(CALLERS)))
            run.rest_before = await _rested(service)
            began = time.monotonic()
            deadline = began + seconds
            load = asyncio.gather(
                *(Callers(service.url, run, 100 + n).until(deadline) for n in range(CALLERS))
            )
            async with httpx2.AsyncClient(base_url=service.url, timeout=60) as prober:
                while not load.done():
                    await asyncio.wait([load], timeout=1.0)
                    run.samples.append(service.sample(round(time.monotonic() - began, 1)))
                    asked = time.perf_counter()
                    (await prober.get("/healthz")).raise_for_status()
                    run.probes.append(time.perf_counter() - asked)
            await load
            run.rest_after = await _rested(service)
            if "defect" in service.log.read_text():
                run.wrong.append("the log tells of a defect")
    return run


async def _rested(service: Service) -> Sample:
    """The service once its keep-alive connections are gone: idle ones go after five seconds, those to providers when
    they are next looked through, up to as long again."""
    await asyncio.sleep(15)
    return service.sample(0)


def faults(run: Run) -> list[str]:
    """Return what is not as it should be."""
    before, after = run.rest_before, run.rest_after
    assert before is not None
    assert after is not None
    third = max(1, len(run.samples) // 3)
    early, late = _middle(run.samples[third : 2 * third]), _middle(run.samples[-third:])
    found = [f"{text} ({times} times)" for text, times in Counter(run.wrong).items()]
    for name in ("service", "workers"):
        first, last = getattr(early, name), getattr(late, name)
        if last > first * (1 + MOST_GROWTH) + SLACK:
            found.append(f"memory of the {name} grew from {_mb(first)} to {_mb(last)}")
    for name in ("tasks", "files"):
        if getattr(after, name) > getattr(before, name) + LEFT_OVER:
            found.append(f"{name} at rest: {getattr(before, name)} before, {getattr(after, name)} after")
        # Batches come and go: the most at a time is steadier than the middle.
        first, last = (
            max(getattr(sample, name) for sample in part)
            for part in (run.samples[: 2 * third], run.samples[-third:])
        )
        if last > 1.5 * first + LEFT_OVER * CALLERS:
            found.append(f"{name} under load: at most {first}, then {last}")
    return found


def _middle(samples: list[Sample]) -> Sample:
    def pick(name: str) -> int:
        return int(statistics.median(getattr(sample, name) for sample in samples))

    counted = (pick(name) for name in ("service", "workers", "tasks", "files"))
    return Sample(samples[-1].second, *counted)


def _mb(size: float) -> str:
    return f"{size / 2**20:.0f} MB"


def report(run: Run, seconds: float) -> str:
    """The page of a run."""
    assert run.rest_before is not None
    assert run.rest_after is not None
    step = max(1, len(run.samples) // 10)
    pieces = [run.samples[start : start + step] for start in range(0, len(run.samples), step)]
    rows = [_row(f"{piece[0].second:.0f}-{piece[-1].second:.0f} s", _middle(piece)) for piece in pieces]
    answered = [f"| {what} | {times} |" for what, times in sorted(run.statuses.items())]
    found = faults(run)
    lines = [
        "# Soak", "",
        "For operators who ask whether the service holds under load for long.", "",
        f"`make soak`: {seconds:.0f} seconds of mixed load by {CALLERS} callers on one process with its workers (`tools/soak_load.py` says who",
        "asks what). A tenth of the requests is hostile, and a provider of models fails every tenth time. Medians of samples taken every",
        f"second; what processes share counts by its part. The machine had {os.cpu_count()} cores and a load average of {os.getloadavg()[2]:.0f} (15 minutes).", "",
        "| | memory of the service | of its workers | tasks | open files |", "| --- | --- | --- | --- | --- |",
        _row("at rest, before", run.rest_before), *rows, _row("at rest, after", run.rest_after), "",
        "| asked, and answered with | times |", "| --- | --- |", *answered, "",
        f"`/healthz`, asked every second beside this: median {statistics.median(run.probes) * 1e3:.0f} ms, at most {max(run.probes) * 1e3:.0f} ms.", "",
        "Found wrong: " + ("; ".join(found) if found else "nothing.") , "",
    ]  # fmt: skip
    return "\n".join(lines)


def _row(name: str, sample: Sample) -> str:
    memory = f"{_mb(sample.service)} | {_mb(sample.workers)}"
    return f"| {name} | {memory} | {sample.tasks} | {sample.files} |"


def main() -> int:
    """Soak; the exit code says whether all was as it should be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--report", type=Path, help="write the page here")
    parser.add_argument("--serve", nargs=2, metavar=("PORT", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(int(options.serve[0]), Path(options.serve[1]))
    run = asyncio.run(soak(options.seconds))
    page = report(run, options.seconds)
    print(page)
    if options.report:
        options.report.write_text(page)
    found = faults(run)
    for fault in found[:20]:
        print(f"wrong: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
