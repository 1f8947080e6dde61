"""A journey of the Python client through a service; `aio` as the last argument makes the asynchronous one
do it."""

import asyncio
import json
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

from crs_eval_client import (
    AsyncCrsEval,
    Attempt,
    CrsEval,
    CrsEvalError,
    Event,
    InvalidRequestError,
    ItemLayout,
    NotFoundError,
    Part,
    Result,
    Retries,
    ScoreAnswer,
    ServiceError,
    ShownItem,
    TimedOutError,
    UnreachableError,
    Verdict,
    parts,
)
from crs_eval_client.generated.models import Log


def lines(log: dict[str, Any], count: int) -> list[dict[str, Any]]:
    body = {"log": {"messages": log["messages"][:2]}}
    made = [{"custom_id": str(i), "path": "/score/coherence", "body": body} for i in range(count)]
    made[7]["body"] = {"log": {"messages": []}}
    return made


def seen(attempt: Attempt) -> list[Any]:
    return [attempt.method, attempt.path, attempt.number, attempt.status or 0, attempt.wait is not None]


def interrupt(seconds: float) -> None:
    """Sleep as the client would, until the user presses a key."""
    waiter = threading.get_ident()
    threading.Timer(0.3, signal.pthread_kill, [waiter, signal.SIGINT]).start()
    time.sleep(seconds)


def read(events: list[Event]) -> dict[str, Any]:
    first, last = events[0].value, events[-1].value
    assert isinstance(first, Verdict)
    assert isinstance(last, ScoreAnswer)
    return {
        "events": [event.name for event in events],
        "streamed": events[-1].data["summaries"][0]["mean"],
        "event": [first.factor, first.score],
        "done": last.summaries[0].mean,
    }


def result(found: Result) -> list[Any]:
    assert isinstance(found.answer, Verdict)
    return [found.answer.factor, found.answer.score]


def wrong_lines(results: list[Result]) -> dict[str, Any]:
    wrong = {int(one.custom_id or -1): one.error for one in results if one.error is not None}
    errors = [[error.status, error.errors[0]["pointer"]] for error in wrong.values()]
    return {"wrong_lines": list(wrong), "failed_line": errors[0]}


def built() -> list[Part]:
    shown = [ShownItem(id="j1", title="Fellwind Shell")]
    return [
        parts.text("Two fit your budget:"),
        parts.items(shown, ItemLayout.CAROUSEL),
        parts.tool_call("search", "{}", "call_1"),
        parts.tool_result("[]", call="call_1", name="search", error=True),
        parts.image("A jacket", "https://shop.example/j1"),
        parts.tool_call("search"),
    ]


def refused_by_mypy() -> None:
    """Never called. An ignore that is not needed is an error too."""
    parts.text(parts.image())  # type: ignore[arg-type]
    parts.items(["Fellwind Shell"])  # type: ignore[list-item]
    parts.items([], "carousel")  # type: ignore[arg-type]
    parts.tool_call(arguments="{}")  # type: ignore[call-arg]
    parts.tool_call("search", {})  # type: ignore[arg-type]
    parts.tool_result("[]", text="none")  # type: ignore[call-arg]
    parts.image(items=[])  # type: ignore[call-arg]


class InTurn:
    """The synchronous client in the words of the asynchronous one, so that both make one journey."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self._client = CrsEval(*given, **more)

    async def __aenter__(self) -> "InTurn":
        return self

    async def __aexit__(self, *_: object) -> None:
        self._client.close()

    def with_options(self, **options: Any) -> "InTurn":
        other = object.__new__(InTurn)
        other._client = self._client.with_options(**options)
        return other

    def __getattr__(self, name: str) -> Any:
        ask = getattr(self._client, name)

        async def one(*given: Any, **more: Any) -> Any:
            return ask(*given, **more)

        async def many(*given: Any, **more: Any) -> AsyncIterator[Any]:
            for each in ask(*given, **more):
                yield each

        return many if name in {"stream", "batch"} else one


async def leave(front: str, log: dict[str, Any]) -> bool:
    """Give up while the client waits to ask again."""
    async with AsyncCrsEval(f"{front}/hour", retries=Retries(longest=4000)) as client:
        try:
            await asyncio.wait_for(client.score_factor("novelty", log), 0.3)
        except TimeoutError:
            return True
    return False


def press(front: str, log: dict[str, Any]) -> bool:
    """Interrupt the synchronous client while it waits to ask again."""
    with CrsEval(f"{front}/hour", retries=Retries(longest=4000), sleep=interrupt) as client:
        try:
            client.score_factor("novelty", log)
        except KeyboardInterrupt:
            return True
    return False


async def troubles(connect: type[AsyncCrsEval], front: str, log: dict[str, Any]) -> dict[str, Any]:
    output: dict[str, Any] = {}
    async with connect(f"{front}/passing") as client:
        output["insisted"] = (await client.score_factor("coherence", log)).factor
    async with connect() as client:
        output["named"] = (await client.score_factor("coherence", log)).factor
    async with connect(f"{front}/page", retries=Retries(attempts=1)) as client:
        try:
            await client.score(log)
        except ServiceError as error:
            output["page"] = error.status
    async with connect(os.environ["LIVE_URL"]) as client:
        taken = await client.add_messages("shop/1", log["messages"][:2], user={"id": "anna/1"})
        kept = len((await client.get_user("anna/1")).conversations)
        await client.delete_conversation("none")
        await client.delete_user("anna/1")
        left = len((await client.get_user("anna/1")).conversations)
        output["live"] = [taken.messages, kept, left, (await client.get_summary(by="day", limit=1)).systems]
        try:
            await client.get_judgement("shop/1")
        except NotFoundError as error:
            output["not_judged"] = error.status
    async with connect(f"{front}/slow") as client:
        try:
            await client.with_options(timeout=0.3).score_factor("coherence", log)
        except TimedOutError:
            output["limited"] = True
    async with connect(f"{front}/broken") as client:
        try:
            await client.score_factor("coherence", log)
        except UnreachableError:
            output["broken"] = True
    return output


async def journey(connect: type[AsyncCrsEval], url: str, front: str, log: dict[str, Any]) -> dict[str, Any]:
    output: dict[str, Any] = {"parts": [part.to_dict() for part in built()]}
    async with connect(url) as client:
        answer = await client.score(Log.from_dict(log))
        output["mean"] = answer.summaries[0].mean
        output["factors"] = [verdict.factor for verdict in answer.verdicts]
        output["overall"] = (await client.debate(log)).overall
        events = [event async for event in client.stream("/score", log)]
        output |= read(events)
        try:
            await client.score(log, judge="nobody")
        except InvalidRequestError as error:
            output |= {"said": str(error), "kind": True, "request_id": error.request_id}
            output["error"] = {
                "status": error.status,
                "pointer": error.errors[0]["pointer"],
                "retryable": error.retryable,
            }
    async with connect(f"{front}/later") as client:
        output["later"] = (await client.score(log)).summaries[0].mean
    async with connect(f"{front}/plain") as client:
        progress: list[int] = []
        results = [one async for one in client.batch(lines(log, 501), progress=progress.append)]
        output |= {"lines": len({result.custom_id for result in results}), "progress": progress}
        output |= wrong_lines(results)
    async with connect(f"{front}/cut") as client:
        body = {"log": log}
        named = [{"custom_id": name, "path": "/score/coherence", "body": body} for name in "abc"]
        results = [one async for one in client.batch(named)]
        output |= {"cut": sorted(one.custom_id or "" for one in results), "result": result(results[0])}
    attempts: list[Attempt] = []
    async with connect(f"{front}/busy", hook=attempts.append) as client:
        output["retried"] = (await client.score_factor("coherence", log)).factor
        output["hook"] = [seen(attempt) for attempt in attempts]
        try:
            await client.with_options(retries=Retries(attempts=1)).score_factor("diversity", log)
        except CrsEvalError as error:
            output["asked_once"] = error.status
        try:
            await client.score_factor("nonsense", log)
        except CrsEvalError as error:
            output["not_retried"] = error.status
    async with connect(f"{front}/lost") as client:
        output["reconnected"] = (await client.score_factor("coherence", log)).factor
    output |= await troubles(connect, front, log)
    output["given_up"] = []
    for path in ("hour", "final"):
        async with connect(f"{front}/{path}") as client:
            try:
                await client.score_factor("coherence", log)
            except CrsEvalError as error:
                output["given_up"].append(error.status)
    async with connect("http://127.0.0.1:9") as client:
        output["down"] = []
        for ask in (client.score(log), anext(client.batch(named))):
            begun = time.monotonic()
            try:
                await ask
            except UnreachableError:
                output["down"].append(time.monotonic() - begun)
    return output


if __name__ == "__main__":
    kind, service, between, path = sys.argv[1:]
    # A shell's background process ignores the key.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    conversation = json.loads(Path(path).read_text())
    connect = AsyncCrsEval if kind == "aio" else cast(type[AsyncCrsEval], InTurn)
    found = asyncio.run(journey(connect, service, between, conversation))
    stopped = asyncio.run(leave(between, conversation)) if kind == "aio" else press(between, conversation)
    print(json.dumps({**found, "stopped_waiting": stopped}))
