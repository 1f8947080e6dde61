"""Measure a debate and a whole evaluation beside their ideals: the provider answers every call after one second. So four rounds
of four roles take five seconds at best, and seven with the twelve factors scored first: the first call of each goes alone, to warm
the provider's cache.

    python -m benchmarks.debate_latency

Asks a service in its own process by HTTP, logs and metrics on, every request and call traced over OTLP;
the provider is a server on loopback. Writes `benchmarks/results/debate_latency.md`.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

import httpx2

from tests.provider.behaviours import Answer, Latency, Payload
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of

from .embedded import log_of
from .serving import load_now, publish, service, serving

LOG = log_of(29, 1)
RATIONALE = (
    "Of the replies, the second and the third miss what the user asked: one names a title without any relation to "
    "the request, the other repeats words and ends in a question that cannot be answered. The first and the last "
    "one do take the request up. Counting the misses gives the level; no other passage changes it."
)
ROUNDS, ROLES, FACTORS = 4, 4, 12
SECONDS, REPEATS = 1.0, 5
"""That a call takes, and runs of each kind."""
WARMED = 1
"""A first call alone makes the provider keep what the others share: of the factors, and of the first round."""
KINDS = {
    "debate": (ROUNDS * ROLES, ROUNDS + WARMED),
    "evaluate": (FACTORS + ROUNDS * ROLES, 1 + WARMED + ROUNDS + WARMED),
}
"""Calls of each, and how many of them follow one another."""


def answer(payload: Payload) -> str:
    """A verdict, or a statement whose score differs by role, so that no round agrees."""
    prompt = prompt_of(payload)
    if '"statement"' not in prompt:
        return json.dumps({"rationale": RATIONALE, "evidence": [], "score": 2})
    return json.dumps(
        {"statement": "I see it my way, and here is why. " * 12, "score": sum(prompt.encode()) % 100}
    )


def asked(client: httpx2.Client, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The service's answer."""
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def timed(
    client: httpx2.Client, provider: ProviderServer, kind: str, body: Mapping[str, Any]
) -> Iterator[float]:
    """Seconds of each run after one, without latency, that opens the connections."""
    provider.latency = Latency(0)
    before = provider.calls
    found = asked(client, f"/{kind}", body)
    assert len(found.get("rounds") or found["debate"]["rounds"]) == ROUNDS
    assert provider.calls - before == KINDS[kind][0]
    provider.latency = Latency(SECONDS)
    for _ in range(REPEATS):
        started = time.perf_counter()
        asked(client, f"/{kind}", body)
        yield time.perf_counter() - started


def measure() -> dict[str, list[float]]:
    """For each kind the seconds of each run."""
    with (
        ProviderServer(Answer(answer), Latency(SECONDS)) as provider,
        serving("benchmarks.sink", {}) as sink,
    ):
        otlp = {"OTEL_EXPORTER_OTLP_ENDPOINT": sink.url}
        with (
            service(otlp, UPSTREAM_LOCAL=provider.openai_url, JUDGE="local:gpt-4o-mini") as server,
            httpx2.Client(base_url=server.url, timeout=60 + 10 * SECONDS) as client,
        ):
            body = {"log": LOG, "cache": "off"}
            verdicts = asked(client, "/score", body)["verdicts"]
            bodies = {"debate": body | {"verdicts": verdicts}, "evaluate": body}
            return {kind: list(timed(client, provider, kind, bodies[kind])) for kind in KINDS}


def main() -> None:
    """Measure, print, write."""
    busy = load_now()
    found = measure()
    lines = [
        "# Time of a 4 x 4 debate, and of a whole evaluation",
        "",
        "`python -m benchmarks.debate_latency`: asked of the service by HTTP, logs and",
        "metrics on, every request and call traced over OTLP. A provider on loopback",
        f"takes {SECONDS:g} s a call, {REPEATS} runs each. The machine had {busy} on {os.cpu_count()} cores before anything ran. The time above",
        "the ideal is the work of service, client and provider.",
        "",
        "| | calls | one after the other | ideal | fastest | median | fastest / ideal | median / ideal |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind, seconds in found.items():
        calls, deep = KINDS[kind]
        ideal, best, middle = deep * SECONDS, min(seconds), median(seconds)
        lines.append(
            f"| {kind} | {calls} | {deep} | {ideal:.2f} s | {best:.3f} s | {middle:.3f} s | {best / ideal:.3f} | "
            f"{middle / ideal:.3f} |"
        )
    publish("debate_latency", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
