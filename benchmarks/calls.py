"""Calls of models: how near the service comes to the ideal time when every call takes a second, that it
never exceeds its cap, and what CPU a call costs it beside the bare SDK.

    python -m benchmarks.calls [--logs 100]

Writes `benchmarks/results/calls.md`. The cache is off, so that every call is made."""

import argparse
import asyncio
import json
import os
import time
from pathlib import Path

import httpx2
import openai

from tests.provider.behaviours import Latency
from tests.provider.server import ProviderServer

from .serving import ROOT, service

TABLE = Path(__file__).parent / "results" / "calls.md"
LOG = json.loads((ROOT / "examples/logs/good.json").read_text())["log"]
CORE = 12


def body(number: int) -> bytes:
    """One of many logs that differ."""
    first = {"role": "user", "content": f"Hello. I look for film number {number}."}
    return json.dumps({"log": LOG | {"messages": [first, *LOG["messages"][1:]]}, "cache": "off"}).encode()


async def ask(url: str, logs: int) -> float:
    """Seconds until all logs are judged, all asked at once."""
    limits = httpx2.Limits(max_connections=None)
    headers = {"Content-Type": "application/json"}
    async with httpx2.AsyncClient(timeout=120, limits=limits, headers=headers) as client:
        started = time.perf_counter()
        answers = await asyncio.gather(
            *(client.post(f"{url}/score", content=body(number)) for number in range(logs))
        )
        took = time.perf_counter() - started
    assert all(answer.status_code == 200 for answer in answers), answers[0].text
    return took


def fan_out(provider: ProviderServer, logs: int, cap: int) -> tuple[float, float, int, float]:
    """Seconds, the ideal, the most calls at once, and the seconds of CPU that the service had."""
    settings = {"UPSTREAM_LOCAL": provider.openai_url, "JUDGE": "local:gpt-4o-mini"}
    with service(**settings, MAX_CONCURRENCY=str(cap), MAX_REQUESTS="1000") as server:
        provider.reset()
        asyncio.run(ask(server.url, 1))  # imports the SDK, opens connections
        provider.reset()
        provider.latency = Latency(1.0)
        before = server.cpu_seconds()
        took = asyncio.run(ask(server.url, logs))
        cpu = server.cpu_seconds() - before
        calls, peak = provider.calls, provider.peak
    assert peak <= cap
    waves = -(-calls // cap)
    return took, float(waves), peak, cpu


def service_cpu(provider: ProviderServer, logs: int) -> float:
    """Milliseconds of the service's CPU for one call, all of /score included."""
    settings = {"UPSTREAM_LOCAL": provider.openai_url, "JUDGE": "local:gpt-4o-mini"}
    with service(**settings, MAX_REQUESTS="1000") as server:
        provider.reset()
        asyncio.run(ask(server.url, 5))
        before, calls = server.cpu_seconds(), provider.calls
        asyncio.run(ask(server.url, logs))
        return (server.cpu_seconds() - before) / (provider.calls - calls) * 1000


async def sdk_cpu(provider: ProviderServer, calls: int) -> float:
    """Milliseconds of this process's CPU for one call by the bare SDK, a hundred at once."""
    provider.reset()
    places = asyncio.Semaphore(100)
    async with openai.AsyncOpenAI(base_url=provider.openai_url, api_key="x", max_retries=0) as client:

        async def one() -> None:
            async with places:
                await client.chat.completions.create(
                    model="gpt-4o-mini", messages=[{"role": "user", "content": json.dumps(LOG)}]
                )

        await one()
        # The provider answers in a thread of this process: its time is not the SDK's.
        before = time.thread_time()
        await asyncio.gather(*(one() for _ in range(calls)))
        return (time.thread_time() - before) / calls * 1000


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=int, default=100)
    given = parser.parse_args()
    lines = [
        "# Calls of models",
        "",
        f"`python -m benchmarks.calls --logs {given.logs}`: twelve factors a log, one call each, a provider on",
        "loopback that answers after one second. *Ideal* is as many seconds as there are waves of calls. The times",
        f"are wall clock: the machine had a load of {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before anything ran. No run ends",
        "before the service has had its CPU.",
        "",
        "| logs at once | cap | most at once | ideal | took | took / ideal | CPU of the service |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with ProviderServer() as provider:
        for logs, cap in ((1, 100), (given.logs, 100), (given.logs, 300)):
            took, ideal, peak, cpu = fan_out(provider, logs, cap)
            lines.append(
                f"| {logs} | {cap} | {peak} | {ideal:.0f} s | {took:.2f} s | {took / ideal:.2f} | {cpu:.1f} s |"
            )
        ours = service_cpu(provider, given.logs)
        bare = asyncio.run(sdk_cpu(provider, given.logs * CORE))
    lines += [
        "",
        "CPU for one call, the provider without latency:",
        "",
        "| | CPU | x the bare SDK |",
        "| --- | ---: | ---: |",
        f"| service, all of `/score` included | {ours:.2f} ms | {ours / bare:.1f} |",
        f"| openai SDK alone | {bare:.2f} ms | 1.0 |",
    ]
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
