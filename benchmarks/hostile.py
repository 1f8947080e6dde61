"""Measure how soon `/healthz` answers while 16 hostile requests are in work, beside an idle service.

    python -m benchmarks.hostile

Sixteen callers send what `tools/hostile_load.py` holds, one after the other, without pause; a prober asks `/healthz` every
50 ms over its own connection. Both run beside the service on the same machine; then beside `crs-eval live`."""

import asyncio
import itertools
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import httpx2

from tests.live_process import running_live
from tools.hostile_load import Hostile, hostile_posts, hostile_requests
from tools.service_process import running_service

from .serving import publish

CALLERS = 16
PAUSE = 0.05
WARM, SECONDS = 5.0, 30.0


async def measure(
    url: str, seconds: float, callers: int, hostile: Iterable[Hostile]
) -> tuple[list[float], Counter[int]]:
    """Seconds until `/healthz` answered, and how the callers were answered. `{n}` in a path is a unique number."""
    ends = time.monotonic() + seconds
    statuses: Counter[int] = Counter()
    requests = zip(itertools.cycle(hostile), itertools.count())

    async def call(client: httpx2.AsyncClient) -> None:
        while time.monotonic() < ends:
            (path, body), number = next(requests)
            # Not from memory: the work is wanted.
            answer = await client.post(
                path.format(n=number), content=body, headers={"Content-Type": "application/json"}
            )
            statuses[answer.status_code] += 1

    took: list[float] = []

    async def probe(client: httpx2.AsyncClient) -> None:
        while time.monotonic() < ends:
            began = time.perf_counter()
            assert (await client.get("/healthz")).status_code == 200
            took.append(time.perf_counter() - began)
            await asyncio.sleep(PAUSE)

    limits = httpx2.Limits(max_connections=callers + 1)
    async with (
        httpx2.AsyncClient(base_url=url, timeout=300, limits=limits) as client,
        httpx2.AsyncClient(base_url=url, timeout=300) as prober,
    ):
        await asyncio.gather(probe(prober), *(call(client) for _ in range(callers)))
    return took, statuses


def row(name: str, took: list[float]) -> str:
    """A line of the table: median, 99th percentile and most, in milliseconds."""
    ordered = sorted(took)
    most = ordered[-1]
    late = ordered[int(len(ordered) * 0.99)]
    return f"| {name} | {len(took)} | {statistics.median(took) * 1e3:.1f} | {late * 1e3:.0f} | {most * 1e3:.0f} |"


def compared(name: str, url: str, hostile: Iterable[Hostile]) -> tuple[list[str], str]:
    """The rows of an idle and a busy one, and the answers to the hostile requests."""
    asyncio.run(measure(url, WARM, 4, hostile))
    idle, _ = asyncio.run(measure(url, SECONDS / 3, 0, hostile))
    busy, statuses = asyncio.run(measure(url, SECONDS, CALLERS, hostile))
    answered = ", ".join(f"{status}: {number}" for status, number in sorted(statuses.items()))
    return [row(f"{name}, idle", idle), row(f"{name}, {CALLERS} hostile requests in work", busy)], answered


def main() -> None:
    """Measure, print, write."""
    with running_service({"LOG_LEVEL": "error", "CACHE_BYTES": "0"}) as url:
        rows, answered = compared("service", url, hostile_requests().values())
    with (
        tempfile.TemporaryDirectory() as folder,
        running_live({"LOG_LEVEL": "error", "LIVE_DATABASE": "sqlite:///live.db"}, Path(folder)) as url,
    ):
        more, answered_live = compared("live", url, hostile_posts().values())
    page = "\n".join(
        [
            "# Probes beside hostile requests", "",
            f"`/healthz` asked every {PAUSE * 1e3:.0f} ms while {CALLERS} callers send hostile requests without pause, for {SECONDS:.0f} s. The service,",
            "its two workers, the callers and the prober share two cores. Then the same with `crs-eval live`, which also judges.", "",
            "| | probes | median ms | 99th percentile | most |", "| --- | ---: | ---: | ---: | ---: |",
            *rows, *more, "",
            f"Answers to the hostile requests by status: {answered}; of `crs-eval live`: {answered_live}.", "",
        ]
    )  # fmt: skip
    publish("hostile", page)


if __name__ == "__main__":
    main()
