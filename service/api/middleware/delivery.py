"""Delivery of answers: without a body for HEAD; and whole answers that were had from the cache alone, kept in this process:
the same body again costs one look at the store, and no parsing, prompts or verdicts again. Pure ASGI."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain.completion import CacheEntry, CacheMode
from ...domain.verdict import Failed, JudgeName, Verdict, each_judge
from ...scoring.score import members_of
from ...store.memory import RecentlyUsed
from ...telemetry.recorder import Recorder, VerdictCounts
from ...usecases.plans.scoring import ScoringPlan
from ..body import read_ahead
from ..openapi_parts import NDJSON

GZIP: Mapping[str, Any] = {
    "minimum_size": 1024,
    "compresslevel": 1,  # an answer of /score shrinks to a quarter; level 6 takes twice the time for a tenth more
    "exclude_content_types": ("text/event-stream", NDJSON),
}
"""Arguments of Starlette's `GZipMiddleware`. Events and lines are sent as they come."""


class Heads:
    """Answers HEAD with what GET would answer, without its body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        asked = {**scope, "method": "GET"}
        try:
            await self.app(asked, receive, send_head)
        finally:
            if "route" in asked:  # for the log and the measurements
                scope["route"] = asked["route"]


LARGEST_BODY = 256 * 1024
"""Bytes of a body that is looked up; what is larger is seldom sent twice."""

WEIGHT = 4
"""Bytes that a kept answer takes for each of its own: the verdicts are kept beside it."""

Holds = Callable[[Sequence[CacheEntry]], Awaitable[bool]]
_Key = tuple[str, str, bool, bytes]


@dataclass(slots=True)
class AnswerSources:
    """Left by the middleware in the request's state; a route fills it where its answer may be kept."""

    entries: Sequence[CacheEntry] | None = None
    verdicts: tuple[Verdict, ...] = ()
    system: str | None = None
    complete: bool = True


@dataclass(frozen=True, slots=True)
class _Answer:
    headers: list[tuple[bytes, bytes]]
    body: bytes
    route: object
    entries: Sequence[CacheEntry]
    tally: VerdictCounts


class AnswerCache:
    """Answers a body that it has seen before with the bytes that it was answered with. `holds` must say that the store still has
    every entry behind them, unchanged: a model that is asked again (`cache: refresh`), an entry that expired or a store that is
    away all end in the usual way. Keeps at most `max_bytes`, each answer for `ttl` seconds; with `namespaces` each key finds its
    own alone."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        holds: Holds,
        recorder: Recorder,
        max_bytes: int,
        ttl: float,
        namespaces: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app = app
        self._holds = holds
        self._recorder = recorder
        self._namespaces = namespaces
        self._kept: RecentlyUsed[_Key, _Answer] = RecentlyUsed(
            max_bytes, ttl, lambda _, answer: WEIGHT * len(answer.body) + 1000, clock
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _may_be_known(scope):
            await self.app(scope, receive, send)
            return
        messages, receive_again = await read_ahead(receive)
        digest = blake2b(digest_size=16)
        for message in messages:
            digest.update(message.get("body", b""))
        caller = scope["state"].get("api_key") if self._namespaces else None
        takes_gzip = "gzip" in Headers(scope=scope).get("accept-encoding", "")  # as Starlette decides
        key = (caller.name if caller else "", scope["path"], takes_gzip, digest.digest())
        known = self._kept.get(key)
        if known is not None and await self._holds(known.entries):
            await self._answer(known, scope, send)
            return
        await self._listen(key, scope, receive_again, send)

    async def _answer(self, known: _Answer, scope: Scope, send: Send) -> None:
        scope["route"] = known.route
        self._recorder.again(known.tally)
        await send({"type": "http.response.start", "status": 200, "headers": [*known.headers]})
        await send({"type": "http.response.body", "body": known.body, "more_body": False})

    async def _listen(self, key: _Key, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the route answer, and keep what it says if it says that it may be kept."""
        state = scope.setdefault("state", {})
        state["memory"] = AnswerSources()  # a worker's comes in its place
        heard: list[Message] = []

        async def send_heard(message: Message) -> None:
            if state["memory"].entries is not None:
                heard.append(dict(message))
            await send(message)

        await self.app(scope, receive, send_heard)
        memory = state["memory"]
        if len(heard) == 2 and heard[0].get("status") == 200 and memory.entries is not None:
            tally = self._recorder.tally(memory.verdicts, memory.system, complete=memory.complete)
            answer = _Answer(
                headers=list(heard[0]["headers"]),
                body=heard[1]["body"],
                route=scope.get("route"),
                entries=memory.entries,
                tally=tally,
            )
            self._kept.put(key, answer)


def may_be_kept(memory: AnswerSources | None, scoring: ScoringPlan, verdicts: Sequence[Verdict]) -> None:
    """Say where the answer made of these verdicts depends only on the request and the entries of the cache that it was read from."""
    entries = scoring.call.entries
    if memory is None or entries is None or scoring.call.cache not in {CacheMode.USE, CacheMode.ONLY}:
        return
    single = tuple(each_judge(verdicts))
    certain = all(
        not isinstance(verdict, Failed) and (verdict.cached or verdict.prompt_hash is None)
        for verdict in single
    )
    # An answer that came by another's call in flight left no entry: it is looked up next time.
    if certain and len(entries) == len(_prompts(scoring, verdicts)) * scoring.evaluation.samples:
        memory.verdicts = single
        log = scoring.evaluation.judge_input.log
        memory.system, memory.complete = log.system, log.complete
        memory.entries = tuple(entries)


def _prompts(scoring: ScoringPlan, verdicts: Sequence[Verdict]) -> set[tuple[JudgeName, str]]:
    """The prompts, each with the judge that was asked: members of a panel get the same one."""
    return {
        (name, verdict.prompt_hash)
        for whole in verdicts
        for name, verdict in zip(
            members_of(scoring.assignments[whole.factor]), each_judge([whole]), strict=True
        )
        if verdict.prompt_hash is not None
    }


def _may_be_known(scope: Scope) -> bool:
    if (
        scope["type"] != "http"
        or scope["method"] != "POST"
        or not scope["path"].startswith("/score")
        or scope["query_string"]
    ):
        return False
    headers = Headers(scope=scope)
    length = headers.get("content-length", "")
    plain = headers.get("content-type", "").split(";")[0].strip() == "application/json"
    streamed = "event-stream" in headers.get("accept", "")
    return plain and not streamed and length.isdigit() and int(length) <= LARGEST_BODY
