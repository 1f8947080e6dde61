"""A cached `/score` of twelve factors beside the least that a FastAPI endpoint can do: validate the same
body and return the same answer. Both under uvicorn, each in a process of its own, the service with its
logs and metrics on; with Redis, and with the cache in the process.

    python -m benchmarks.cached_score [--seconds 5] [--connections 16]

What counts is the ratio of CPU time for one answer, which other load on the machine leaves alone, in
one run. Writes `benchmarks/results/cached_score.md`."""

import argparse
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import httpx2

from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer

from .serving import ROOT, Load, Server, ask_again_and_again, service, serving

TABLE = Path(__file__).parent / "results" / "cached_score.md"
BODY = json.dumps({"log": json.loads((ROOT / "examples/logs/good.json").read_text())["log"]}).encode()


def measured(server: Server, seconds: float, connections: int) -> tuple[Load, Load]:
    """Under load, and with one connection alone."""
    ask_again_and_again(server, BODY, 2, 1)
    return ask_again_and_again(server, BODY, connections, seconds), ask_again_and_again(server, BODY, 1, 2)


def measure(seconds: float, connections: int, redis_url: str) -> Mapping[str, tuple[Load, Load]]:
    """The service with either cache, and the endpoint with the answer that the service gave."""
    found = {}
    with ProviderServer() as provider, tempfile.NamedTemporaryFile() as answer:
        plain = {"UPSTREAM_LOCAL": provider.openai_url, "JUDGE": "local:gpt-4o-mini"}
        for name, more in (("Redis", {"REDIS_URL": redis_url}), ("in process", {})):
            with service(**plain, **more) as server:
                answers = [httpx2.post(f"{server.url}/score", content=BODY, timeout=60) for _ in range(3)]
                assert answers[-1].headers["cache-status"] == "crs-eval; hit"
                answer.write(answers[-1].content if not answer.tell() else b"")
                answer.flush()
                found[name] = measured(server, seconds, connections)
        with serving(["benchmarks.echo"], {"CRS_ECHO_ANSWER": answer.name}) as server:
            found["echo"] = measured(server, seconds, connections)
    return found


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=16)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder)) as redis:
        found = measure(given.seconds, given.connections, redis.url)
    echo, alone = found["echo"]
    lines = [
        "# A cached `/score` of twelve factors beside an endpoint that only validates",
        "",
        f"`python -m benchmarks.cached_score --seconds {given.seconds:g} --connections {given.connections}`, "
        f"{os.cpu_count()} cores. *Share* is the endpoint's CPU for an answer over the service's.",
        "",
        "| | CPU an answer | answers a second of one core | share | p50 at one connection | x the endpoint's |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, (load, one) in found.items():
        cost = load.cpu_milliseconds
        lines.append(
            f"| {name} | {cost:.3f} ms | {1000 / cost:,.0f} | {echo.cpu_milliseconds / cost:.2f} | "
            f"{one.median_milliseconds:.2f} ms | {one.median_milliseconds / alone.median_milliseconds:.1f} |"
        )
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
