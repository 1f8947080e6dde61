"""Callers of a soak, and the provider of models that they meet."""

import contextlib
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
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
            self.score, self.score, self.ask_model, self.ask_model, self.debate, self.evaluate, self.simulate,
            self.batch, self.wrong, self.stream, self.leave,
        ]  # fmt: skip

    async def until(self, deadline: float) -> None:
        """Keep asking."""
        async with self._client:
            while time.monotonic() < deadline:
                hostile = self._random.random() < HOSTILE
                await (self.attack if hostile else self._random.choice(self._ways))()

    async def every_way(self) -> None:
        """Ask once in each way, and stop."""
        async with self._client:
            for way in dict.fromkeys(self._ways):
                await way()

    def _log(self) -> dict[str, Any]:
        log: dict[str, Any] = json.loads(json.dumps(self._random.choice(LOGS)))
        log["messages"] = distinct(log["messages"], self._random.randrange(1 << 30))
        return log

    async def _post(self, path: str, body: dict[str, Any], right: set[int]) -> None:
        response = await self._client.post(path, json=body)
        self._note(path, response.status_code, right)

    def _note(self, path: str, status: int, right: set[int]) -> None:
        self._came.statuses[f"{path} {status}"] += 1
        if status not in right:
            self._came.wrong.append(f"{path}: {status}")

    async def score(self) -> None:
        """The embedded judge."""
        await self._post("/score", {"log": self._log()}, {200})

    async def ask_model(self) -> None:
        """A model that fails now and then; some answers come from the cache."""
        body = {"log": self._log(), "judge": "local:gpt-4o-mini", "factors": ["coherence", "novelty"]}
        await self._post("/score", body, {200, 502, 504})

    async def attack(self) -> None:
        """A request that once stopped the service."""
        path, body = self._random.choice([*hostile_requests().values()])
        headers = {"Content-Type": "application/json"}
        response = await self._client.post(path, content=body, headers=headers)
        self._note(f"hostile {path}", response.status_code, {200, 400, 413, 422, 503, 504})

    async def debate(self) -> None:
        """Roles that speak by rule."""
        await self._post("/debate", {"log": self._log()}, {200})

    async def evaluate(self) -> None:
        """Verdicts and metrics."""
        await self._post("/evaluate", {"log": self._log(), "debate": False}, {200})

    async def simulate(self) -> None:
        """The next message of a scripted user."""
        log = self._log()
        while log["messages"][-1]["role"] == "user":
            log["messages"].pop()
        log.pop("outcome", None)  # its message may be gone
        log["user"] = {"persona": "trust", "age_group": "adults", "attributes": ["calm", "drama"]}
        await self._post("/simulate", {"log": log, "simulator": {"type": "scripted"}}, {200})

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

    async def wrong(self) -> None:
        """A body that does not fit."""
        await self._post("/score", {"log": {"messages": []}, "factor": "x"}, {422})

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

    @contextlib.asynccontextmanager
    async def _streaming(self) -> AsyncIterator[httpx2.Response]:
        headers = {"Accept": "text/event-stream"}
        async with self._client.stream(
            "POST", "/score", json={"log": self._log()}, headers=headers
        ) as response:
            yield response


def moody(seed: int = 7) -> Callable[[Any], Behaviour]:
    """A provider that fails every tenth time."""
    source = random.Random(seed)
    troubles: list[Behaviour] = [rate_limited(0.05), Status(503), Reset(), Reset(amid=True)]

    def choose(_: Any) -> Behaviour:
        return source.choice(troubles) if source.random() < 0.1 else Answer()

    return choose
