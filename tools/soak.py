"""`make soak`: the service under mixed load for `--seconds`, and whether it stays as it was.

    python -m tools.soak --seconds 600

One service process runs beside a local provider of models that fails now and then. Callers score, debate, evaluate, simulate,
send batches and wrong bodies, read event streams, and leave half-way. Every second the service's memory and open files are read;
they must be flat from the second third on. Everything must be answered with the status it should have, and at rest nothing may
be left over."""

import argparse
import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path

import httpx2

from tests.provider.behaviours import Latency
from tests.provider.server import ProviderServer
from tools.service_process import running, with_children
from tools.soak_load import Callers, Came, moody

CALLERS = 8
MOST_GROWTH = 0.10
SLACK = 24 * 2**20
"""Bytes that memory may grow beside its share: allocators give back in pieces."""
LEFT_OVER = 5


@dataclass
class Sample:
    """The service at one moment: bytes of the process that serves, bytes of its workers and what forks them, open files."""

    service: int
    workers: int
    files: int


@dataclass
class Run(Came):
    """The outcome of a run, and the state of the service: at rest before and after, and every second in between."""

    rests: list[Sample] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    probes: list[float] = field(default_factory=list)


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
            await asyncio.gather(*(Callers(url, Came(), n).attack() for n in range(CALLERS)))
            await asyncio.gather(*(Callers(url, Came(), n).every_way() for n in range(CALLERS)))
            warm = time.monotonic() + min(30.0, seconds / 6)
            await asyncio.gather(*(Callers(url, Came(), n).until(warm) for n in range(CALLERS)))
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
