"""Calls of models: how near the service comes to the ideal time when every call takes a second. It must never exceed its cap. The
CPU of a call is compared with that of the bare SDKs.

    python -m benchmarks.calls

Writes `benchmarks/results/calls.md`. Logs, metrics and traces are on. The cache is off, so that every call is made. Everything is
measured by turns, and the best round of each counts: another one had to wait for the machine."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import anthropic
import httpx2
import openai

from tests.provider.behaviours import Latency
from tests.provider.server import ProviderServer

from .serving import ROOT, load_now, publish, service, serving

LOG = json.loads((ROOT / "examples/logs/good.json").read_text())["log"]
CORE = 12
LOGS, ROUNDS = 100, 3
SECONDS = 1.0
"""That a call takes."""
PROTOCOLS = ("openai", "anthropic")


def body(number: int) -> bytes:
    """One of many logs that differ."""
    first = {"role": "user", "content": f"Hello. I look for film number {number}."}
    return json.dumps({"log": LOG | {"messages": [first, *LOG["messages"][1:]]}, "cache": "off"}).encode()


async def ask(url: str, logs: int) -> float:
    """Seconds until all logs are judged, all asked at once."""
    limits = httpx2.Limits(max_connections=None)
    headers = {"Content-Type": "application/json"}
    async with httpx2.AsyncClient(timeout=300, limits=limits, headers=headers) as client:
        started = time.perf_counter()
        answers = await asyncio.gather(
            *(client.post(f"{url}/score", content=body(number)) for number in range(logs))
        )
        took = time.perf_counter() - started
    assert all(answer.status_code == 200 for answer in answers), answers[0].text
    return took


def settings(provider: ProviderServer, protocol: str) -> dict[str, str]:
    """A service that judges by the local provider in one of its protocols, with as much time as it takes."""
    plain = {"MAX_REQUESTS": "1000", "REQUEST_TIMEOUT": "300"}
    if protocol == "anthropic":
        return plain | {"ANTHROPIC_BASE_URL": provider.url, "JUDGE": "anthropic:claude-sonnet-4-6"}
    return plain | {"UPSTREAM_LOCAL": provider.openai_url, "JUDGE": "local:gpt-4o-mini"}


@dataclass(frozen=True)
class Run:
    """The outcome of many calls of a second each: seconds, the most at once, seconds of CPU."""

    took: float
    peak: int
    cpu: float


def fan_out(provider: ProviderServer, otlp: Mapping[str, str], logs: int, cap: int) -> Run:
    """The service judges many logs at once."""
    with service(otlp, **settings(provider, "openai"), MAX_CONCURRENCY=str(cap)) as server:
        provider.reset()
        asyncio.run(ask(server.url, 1))  # imports the SDK
        provider.reset()
        provider.latency = Latency(SECONDS)
        before = server.cpu_seconds()
        took = asyncio.run(ask(server.url, logs))
        cpu = server.cpu_seconds() - before
        assert provider.calls == logs * CORE
        assert provider.peak <= cap
        return Run(took, provider.peak, cpu)


def service_cpu(provider: ProviderServer, otlp: Mapping[str, str], protocol: str) -> float:
    """Milliseconds of the service's CPU for one call, all of /score included."""
    with service(otlp, **settings(provider, protocol)) as server:
        provider.reset()
        asyncio.run(ask(server.url, 5))
        before, calls = server.cpu_seconds(), provider.calls
        asyncio.run(ask(server.url, LOGS))
        return (server.cpu_seconds() - before) / (provider.calls - calls) * 1000


def bare(provider: ProviderServer, protocol: str, transport: str, calls: int, cap: int) -> Run:
    """The same number of calls by an SDK alone, in its own process, `cap` at once."""
    url = provider.openai_url if protocol == "openai" else provider.url
    command = [sys.executable, "-m", "benchmarks.calls", protocol, transport, url]
    provider.peak = 0
    done = subprocess.run(
        [*command, str(calls), str(cap)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    took, cpu = map(float, done.stdout.split())
    return Run(took, provider.peak, cpu)


def _one_call(protocol: str, transport: str, url: str, cap: int) -> Callable[[], Awaitable[object]]:
    sdk = openai if protocol == "openai" else anthropic
    client = sdk.DefaultAioHttpClient if transport == "aiohttp" else sdk.DefaultAsyncHttpxClient
    http = client(limits=httpx2.Limits(max_connections=cap), timeout=httpx2.Timeout(None))
    said = json.dumps(LOG)
    if protocol == "openai":
        chat = openai.AsyncOpenAI(base_url=url, api_key="x", max_retries=0, http_client=http).chat.completions
        return lambda: chat.create(model="gpt-4o-mini", messages=[{"role": "user", "content": said}])
    messages = anthropic.AsyncAnthropic(
        base_url=url, api_key="x", max_retries=0, timeout=None, http_client=http
    ).messages
    return lambda: messages.create(
        model="claude-sonnet-4-6", max_tokens=500, messages=[{"role": "user", "content": said}]
    )


async def ask_barely(protocol: str, transport: str, url: str, calls: int, cap: int) -> tuple[float, float]:
    """Seconds of wall clock and of this process's CPU for so many calls."""
    one, places = _one_call(protocol, transport, url, cap), asyncio.Semaphore(cap)
    await one()

    async def placed() -> None:
        async with places:
            await one()

    started, before = time.perf_counter(), time.process_time()
    await asyncio.gather(*(placed() for _ in range(calls)))
    return time.perf_counter() - started, time.process_time() - before


def waits(provider: ProviderServer, otlp: Mapping[str, str]) -> list[str]:
    """Rows on how long all calls take together."""
    found: dict[tuple[str, int, int], list[Run]] = {}
    for _ in range(ROUNDS):
        for many, cap in ((1, 100), (LOGS, 100), (LOGS, 300)):
            found.setdefault(("service", many, cap), []).append(fan_out(provider, otlp, many, cap))
            provider.reset()
            provider.latency = Latency(SECONDS)
            alone = bare(provider, "openai", "aiohttp", many * CORE, cap)
            found.setdefault(("openai SDK alone", many, cap), []).append(alone)
    rows = []
    for (who, many, cap), runs in found.items():
        best, ideal = min(runs, key=lambda run: run.took), -(-many * CORE // cap) * SECONDS
        rows.append(
            f"| {who} | {SECONDS:g} s | {many} | {cap} | {best.peak} | {ideal:g} s | {best.took:.2f} s | "
            f"{best.took / ideal:.3f} | {best.cpu:.1f} s |"
        )
    return rows


def costs(provider: ProviderServer, otlp: Mapping[str, str]) -> list[str]:
    """Rows on what CPU a call takes."""
    found: dict[tuple[str, str], list[float]] = {}
    provider.reset()
    for _ in range(ROUNDS):
        for protocol in PROTOCOLS:
            name = "service, all of `/score` included"
            found.setdefault((protocol, name), []).append(service_cpu(provider, otlp, protocol))
            for transport in ("aiohttp", "httpx2"):
                alone = bare(provider, protocol, transport, LOGS * CORE, 100)
                name = f"SDK alone, its {transport} transport"
                found.setdefault((protocol, name), []).append(alone.cpu / (LOGS * CORE) * 1000)
    reference = {p: min(found[p, "SDK alone, its aiohttp transport"]) for p in PROTOCOLS}
    return [
        f"| {protocol} | {name} | {min(cpu):.2f} ms | {min(cpu) / reference[protocol]:.1f} |"
        for (protocol, name), cpu in found.items()
    ]


def report() -> str:
    """The page."""
    busy = load_now()
    with ProviderServer() as provider, serving("benchmarks.sink", {}) as sink:
        otlp = {"OTEL_EXPORTER_OTLP_ENDPOINT": sink.url}
        wall, cpu = waits(provider, otlp), costs(provider, otlp)
    lines = [
        "# Calls of models",
        "",
        "`python -m benchmarks.calls`: twelve factors a log, one call each, a provider on",
        "loopback. The service has logs and metrics on, and every request and call is traced over OTLP. *Ideal* is the time of a call by as many waves of calls as there are. Measured by turns, the best of",
        f"{ROUNDS} rounds each. The times are wall clock. The machine had {busy} on {os.cpu_count()} cores before anything",
        "ran. For comparison, the bare SDK makes the same calls.",
        "",
        "| who | a call takes | logs at once | cap | most at once | ideal | took | took / ideal | CPU |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        *wall,
        "",
        "CPU for one call, the provider without latency:",
        "",
        "| protocol | who | CPU | x the bare SDK |",
        "| --- | --- | ---: | ---: |",
        *cpu,
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, write."""
    if len(sys.argv) > 1:  # a process of `bare`
        protocol, transport, url, calls, cap = sys.argv[1:]
        print(*asyncio.run(ask_barely(protocol, transport, url, int(calls), int(cap))))
    else:
        publish("calls", report())


if __name__ == "__main__":
    main()
