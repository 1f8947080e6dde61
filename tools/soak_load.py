"""Callers of a soak, and the provider of models that they meet."""

import contextlib
import json
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx2

from tests.provider.behaviours import Answer, Behaviour, Reset, Status, rate_limited
from tools.distinct import distinct
from tools.hostile_load import hostile_requests
from tools.service_process import ROOT

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
class Came:
    """Counts of answers, and of answers that should not have been."""

    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Callers:
    """Callers, each with its own way of asking; `answer` notes what came and whether it should have."""

    def __init__(self, url: str, came: Came, seed: int) -> None:
        self._client = httpx2.AsyncClient(base_url=url, timeout=60)
        self._came = came
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
        self._came.statuses[f"{path} {status}"] += 1
        if status not in right:
            self._came.wrong.append(f"{path}: {status}")

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
                self._came.wrong.append(f"/batch: {dict(counts)}")

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
        self._came.statuses["left half-way"] += 1

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
