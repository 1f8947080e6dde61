"""Search for requests that cost more than their size: random structures over all routes, driven towards time and memory.

    python -m tools.search_costs --seconds 1800 --report docs/costs.md

Routes are those of both contracts (`tests/posted.py`). Hypothesis changes requests that fit the contract. Texts are pumped, lists
and objects repeated, values exchanged, and some bodies are made of nothing else. It is told what each costs, so that it goes on
from the dearest. Each request is answered in a child process of its own, whose CPU seconds and largest size the kernel tells. It
fails where an answer is a defect, takes more than `SECONDS` and `SECONDS_PER_MB`, or more memory than a body may
(docs/access-and-limits.md)."""

import argparse
import asyncio
import copy
import ctypes
import datetime
import gc
import json
import os
import re
import resource
import signal
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import strategies as st

from service.importing.formats import formats
from service.live.routes.spans import PROTOBUF
from service.telemetry.logging import configure_logging
from tests.memory_probe import honest, hostile
from tests.posted import LINES, TALK, Posted, Route

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".cache" / "dear"
MB = 1024 * 1024
LARGEST = 256 * 1024
SECONDS, SECONDS_PER_MB = 1.0, 60.0
BYTES, BYTES_PER_BYTE = 8 * MB, 12
HANGS = 60
"""CPU seconds after which a request is ended, and counted as a find."""
ROUNDS = 100
KEPT = 5


@dataclass(frozen=True)
class Cost:
    """The cost of one request: CPU seconds and bytes of memory beyond those of the process, and how it was
    answered. `idle` is what the smallest request of its route grows a fork by."""

    path: str
    status: int
    size: int
    seconds: float
    grown: int
    body: bytes
    idle: int = 0

    @property
    def faults(self) -> list[str]:
        """Return what is more than it may be."""
        found = []
        if self.status >= 500 or not self.status:
            found.append(f"status {self.status}")
        if self.seconds > SECONDS + SECONDS_PER_MB * self.size / MB:
            found.append(f"{self.seconds:.1f} s")
        if self.grown - self.idle > BYTES + BYTES_PER_BYTE * self.size:
            found.append(f"{self.grown / MB:.0f} MB")
        return found


class Service:
    """The applications in this process; every request is answered in a fork of it."""

    def __init__(self) -> None:
        configure_logging("json", "error")
        self._posted = Posted(ROOT / "examples" / "crs")
        # Values are changed as JSON; tests/integration/test_memory.py and `make fuzz` send protobuf.
        self.examples = _examples([one for one in self._posted.routes if one.media != PROTOBUF])
        asyncio.run(self._warm())
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)

    async def _warm(self) -> None:
        """Make what is made at first use, which is no cost of one request."""
        routes = {route.path: route for route, _ in self.examples}
        for make in (hostile, honest):
            for _, path, body in make(2000):
                if path in routes:
                    await self._posted.ask(routes[path], body)
        for route, example in self.examples:
            await self._posted.ask(route, _written(route, example))

    def cost(self, route: Route, body: bytes) -> Cost:
        """Answer one request in a child."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            self._answer(route, body, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as told:
            said = told.read()
        _, _, usage = os.wait4(child, 0)
        status, grown = map(int, said.split()) if said else (0, 0)
        return Cost(route.path, status, len(body), usage.ru_utime + usage.ru_stime, grown, body)

    def _answer(self, route: Route, body: bytes, writing: int) -> None:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (HANGS, HANGS))
            before, mapped = _memory("VmRSS"), _memory("RssFile")
            status, _ = asyncio.run(self._posted.ask(route, body))
            # Pages of files, such as the encoder's table of words, are those of all processes.
            grown = _memory("VmHWM") - before - max(0, _memory("RssFile") - mapped)
            os.write(writing, b"%d %d" % (status, max(0, grown)))
        finally:
            os._exit(0)


def _memory(name: str) -> int:
    text = Path("/proc/self/status").read_text()
    return next(int(row.split()[1]) * 1024 for row in text.splitlines() if row.startswith(name))


def _examples(routes: Sequence[Route]) -> list[tuple[Route, Any]]:
    """Bodies that fit: the contract's own examples, and our logs where a route takes one."""
    found = [(route, example) for route in routes for example in route.examples]
    by_path = {route.path: route for route in routes}
    for file in sorted((ROOT / "examples" / "logs").glob("*.json")):
        log = json.loads(file.read_text())["log"]
        bodies = {
            **{key: {"log": log} for key in ("/score", "/debate", "/evaluate")},
            **{key: {"logs": [log]} for key in ("/computational-metrics", "/simulate/audit")},
            "/compare": {"first": log, "second": log},
            "/import": {"text": json.dumps([log])},
            "/batch": [{"custom_id": "a", "path": "/score", "body": {"log": log}}],
        }
        found += [(by_path[path], body) for path, body in bodies.items()]
    for format_ in formats().values():
        found.append((by_path["/import"], {"text": format_.sample(TALK)}))
    return found


def _written(route: Route, body: Any, *, ascii_only: bool = True) -> bytes:
    """The bytes of a body: lines for a batch."""
    parts = body if route.media == LINES and isinstance(body, list) else [body]
    lines = (_json(part, ascii_only=ascii_only).encode("utf-8", "surrogatepass") for part in parts[:LARGEST])
    return b"\n".join(lines)[:LARGEST]


def _atoms() -> list[str]:
    """Pieces of text that patterns look for: words and signs of our own lexicons, and what is seldom thought of."""
    signs = ["(", "[", "<", "{", '"', "'", "`", "*", "_", "-", ".", ",", " ", "\n", "\t", "\\", "/", "=", ":", "|", "$ 1,", "1,111,", "(1999)", "İ", "ﬁ", "\u0301", "\u200b", "\ufe0f", "😀", "ß", "\u0410", "你好", "é", "a ", "the ", "and ", "A", "Aa ", "x" * 30, "0", "((", "<|", "```", "base64 "]  # fmt: skip
    words: set[str] = set()
    for path in (ROOT / "service").rglob("*.toml"):
        words.update(re.findall(r"[A-Za-z][a-z' ]{2,20}[a-z]", str(tomllib.loads(path.read_text()))))
    return signs + sorted(words)


@st.composite
def requests(
    draw: st.DrawFn, examples: Sequence[tuple[Route, Any]], atoms: Sequence[str]
) -> tuple[Route, bytes]:
    """A route and a body: an example, changed in a few places."""
    route, example = draw(st.sampled_from(examples))
    body = copy.deepcopy(example)
    pieces = st.lists(st.sampled_from(atoms) | st.text(max_size=4), min_size=1, max_size=4)
    for _ in range(draw(st.integers(1, 5))):
        places = list(_places(body))
        holder, key = draw(st.sampled_from(places))
        value = holder[key]
        times = 2 ** draw(st.integers(0, 13))
        piece = "".join(draw(pieces))
        room = max(1, LARGEST // 2)
        if isinstance(value, str) and draw(st.integers(0, 9)):
            pumped = piece * min(times, max(1, room // max(1, len(piece.encode()))))
            holder[key] = draw(st.sampled_from(("", value))) + pumped + "".join(draw(pieces))
        elif isinstance(value, list) and value and draw(st.booleans()):
            some = value[: draw(st.integers(1, len(value)))]
            holder[key] = some * min(times, max(1, room // max(1, len(_json(some)))))
        elif isinstance(value, dict) and draw(st.booleans()):
            holder[key] = {**value, **{f"{piece[:20]}{n}": piece[:20] for n in range(min(times, 2000))}}
        else:
            holder[key] = draw(st.sampled_from((piece, [value] * min(times, 200), {}, [], None, 1e308, -1, 0.5, True, copy.deepcopy(example))))  # fmt: skip
    return route, _written(route, body, ascii_only=draw(st.booleans()))


def _json(value: Any, *, ascii_only: bool = True) -> str:
    """The first characters of a value's JSON. Of a list that is repeated within a repeated one the whole takes gigabytes."""
    parts: list[str] = []
    size = 0
    for part in json.JSONEncoder(ensure_ascii=ascii_only).iterencode(value):
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            break
    return "".join(parts)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside of another, as what holds it and by which key."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs)[:50]:
        yield value, key
        yield from _places(inner)


def search(seconds: float) -> tuple[dict[str, list[Cost]], int, list[Cost]]:
    """The dearest requests by route, how many were tried, and those that cost too much."""
    service, atoms = Service(), _atoms()
    base = service.cost(service.examples[0][0], b"{}").seconds
    idle = {
        route.path: service.cost(route, _written(route, body)).grown
        for route, body in reversed(service.examples)
    }
    dear: dict[str, list[Cost]] = defaultdict(list)
    finds: list[Cost] = []
    tried = 0
    ends = time.monotonic() + seconds
    told = time.monotonic()
    for path in sorted({route.path for route, _ in service.examples}) * 10_000:
        if time.monotonic() > ends:
            break
        mine = [(route, body) for route, body in service.examples if route.path == path]

        @settings(max_examples=ROUNDS, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.target])  # fmt: skip
        @given(requests(mine, atoms))
        def look(request: tuple[Route, bytes]) -> None:
            nonlocal tried
            if time.monotonic() > ends:
                return
            cost = replace(service.cost(*request), idle=idle[request[0].path])
            tried += 1
            if cost.faults:
                finds.append(cost)
                print(_kept(f"find-{len(finds)}", cost), file=sys.stderr, flush=True)
            by_time = max(0.0, cost.seconds - base) / (cost.size + 2048)
            by_memory = (cost.grown - cost.idle) / (cost.size + BYTES)
            target(by_time * 1e6, label="microseconds a byte")
            target(by_memory, label="bytes a byte")
            kept = dear[cost.path]
            kept.append(cost)
            slow = sorted(kept, key=lambda one: -one.seconds / (one.size + 2048))[:KEPT]
            big = sorted(kept, key=lambda one: (one.idle - one.grown) / (one.size + BYTES))[:KEPT]
            dear[cost.path] = [*slow, *(one for one in big if not any(one is other for other in slow))]

        look()
        if time.monotonic() - told > 20:
            told = time.monotonic()
            print(
                f"{tried} requests, {len(finds)} finds, {ends - told:.0f} s left", file=sys.stderr, flush=True
            )
    return dear, tried, finds


def page(dear: dict[str, list[Cost]], tried: int, finds: Sequence[Cost], seconds: float) -> str:
    """The report."""
    spent = sum(os.times()[:4])
    rows = []
    for path, costs in sorted(dear.items()):
        slow = max(costs, key=lambda one: one.seconds / (one.size + 2048))
        big = max(costs, key=lambda one: (one.grown - one.idle) / (one.size + BYTES))
        rows.append(
            f"| `{path}` | {slow.size:,} | {slow.seconds:.2f} | {slow.seconds * 1e6 / (slow.size + 2048):.1f} "
            f"| {big.size:,} | {(big.grown - big.idle) / MB:.1f} |"
        )
    lines = [
        "# Requests that cost more than their size", "",
        "For operators who expose the service to strangers.", "",
        f"`make search-costs`: {tried:,} requests in {seconds:.0f} s ({spent:.0f} s of CPU), {datetime.datetime.now(datetime.UTC).date()}, one core of a shared machine.",
        "Hypothesis changes requests that fit the contract, up to 256 KiB, and is driven towards CPU seconds and memory a byte.",
        f"A request may take {SECONDS:.0f} s and {SECONDS_PER_MB:.0f} s a megabyte, and 8 MB and 12 times its size.", "",
        "| route | bytes | CPU s | µs a byte (of its size and 2 KB) | bytes | MB of memory |", "| --- | ---: | ---: | ---: | ---: | ---: |",
        *rows, "", f"Beyond that, or answered with a defect: {len(finds)}.", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _kept(name: str, cost: Cost) -> str:
    """Keep a request's body in `FOLDER`; a line that says where, and what it cost."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    place = FOLDER / f"{name}{cost.path.replace('/', '-')}.json"
    place.write_bytes(cost.body)
    faults = ", ".join(cost.faults) or "within bounds"
    return f"{place.name}: {faults}; {cost.size} bytes, {cost.seconds:.2f} s, {cost.status}"


def main() -> int:
    """Search, report; the exit code says whether a request cost too much."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--report", type=Path, help="write the page here")
    given_ = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    dear, tried, finds = search(given_.seconds)
    text = page(dear, tried, finds, given_.seconds)
    print(text)
    if given_.report:
        given_.report.write_text(text)
    worst = sorted(finds, key=lambda one: -one.seconds)[:20] or [
        one for some in dear.values() for one in some[:1]
    ]
    for number, cost in enumerate(worst):
        print(_kept(f"{number:02}", cost))
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
