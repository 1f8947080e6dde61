"""A journey of the Python client through a service; `aio` as the last argument makes the asynchronous one
do it."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from crs_eval_client import AsyncCrsEval, CrsEval, CrsEvalError, UnreachableError
from crs_eval_client.generated.models import Log


def lines(log: dict[str, Any], count: int) -> list[dict[str, Any]]:
    body = {"log": {"messages": log["messages"][:2]}}
    made = [{"custom_id": str(i), "path": "/score/coherence", "body": body} for i in range(count)]
    made[7]["body"] = {"log": {"messages": []}}
    return made


def main(url: str, front: str, log: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    with CrsEval(url) as client:
        answer = client.score(Log.from_dict(log))
        told["mean"] = answer.summaries[0].mean
        told["factors"] = [verdict.factor for verdict in answer.verdicts]
        told["overall"] = client.debate(log).overall
        events = list(client.stream("/score", log))
        told["events"] = [event.name for event in events]
        told["streamed"] = events[-1].data["summaries"][0]["mean"]
        try:
            client.score(log, judge="nobody")
        except CrsEvalError as error:
            told["said"] = str(error)
            told["error"] = {
                "status": error.status,
                "pointer": error.errors[0]["pointer"],
                "retryable": error.retryable,
            }
    with CrsEval(f"{front}/later") as client:
        told["later"] = client.score(log).summaries[0].mean
    with CrsEval(f"{front}/plain") as client:
        progress: list[int] = []
        results = list(client.batch(lines(log, 501), progress=progress.append))
        told |= {"lines": len({result.custom_id for result in results}), "progress": progress}
        told["wrong_lines"] = [int(r.custom_id or -1) for r in results if r.status != 200]
    with CrsEval(f"{front}/cut") as client:
        body = {"log": log}
        named = [{"custom_id": name, "path": "/score/coherence", "body": body} for name in "abc"]
        told["cut"] = sorted(result.custom_id or "" for result in client.batch(named))
    with CrsEval(f"{front}/busy") as client:
        told["retried"] = client.score_factor("coherence", log).factor
        try:
            client.score_factor("nonsense", log)
        except CrsEvalError as error:
            told["not_retried"] = error.status
    with CrsEval(f"{front}/lost") as client:
        told["reconnected"] = client.score_factor("coherence", log).factor
    told["given_up"] = []
    for path in ("hour", "final"):
        with CrsEval(f"{front}/{path}") as client:
            try:
                client.score_factor("coherence", log)
            except CrsEvalError as error:
                told["given_up"].append(error.status)
    with CrsEval("http://127.0.0.1:9") as client:
        told["down"] = []
        for ask in (lambda: client.score(log), lambda: list(client.batch(named))):
            begun = time.monotonic()
            try:
                ask()
            except UnreachableError:
                told["down"].append(time.monotonic() - begun)
    return told


async def asynchronous(url: str, front: str, log: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    async with AsyncCrsEval(url) as client:
        answer = await client.score(Log.from_dict(log))
        told["mean"] = answer.summaries[0].mean
        told["factors"] = [verdict.factor for verdict in answer.verdicts]
        told["overall"] = (await client.debate(log)).overall
        events = [event async for event in client.stream("/score", log)]
        told["events"] = [event.name for event in events]
        told["streamed"] = events[-1].data["summaries"][0]["mean"]
        try:
            await client.score(log, judge="nobody")
        except CrsEvalError as error:
            told["said"] = str(error)
            told["error"] = {
                "status": error.status,
                "pointer": error.errors[0]["pointer"],
                "retryable": error.retryable,
            }
    async with AsyncCrsEval(f"{front}/later") as client:
        told["later"] = (await client.score(log)).summaries[0].mean
    async with AsyncCrsEval(f"{front}/plain") as client:
        progress: list[int] = []
        results = [result async for result in client.batch(lines(log, 501), progress=progress.append)]
        told |= {"lines": len({result.custom_id for result in results}), "progress": progress}
        told["wrong_lines"] = [int(r.custom_id or -1) for r in results if r.status != 200]
    async with AsyncCrsEval(f"{front}/cut") as client:
        body = {"log": log}
        named = [{"custom_id": name, "path": "/score/coherence", "body": body} for name in "abc"]
        told["cut"] = sorted([result.custom_id or "" async for result in client.batch(named)])
    async with AsyncCrsEval(f"{front}/busy") as client:
        told["retried"] = (await client.score_factor("coherence", log)).factor
        try:
            await client.score_factor("nonsense", log)
        except CrsEvalError as error:
            told["not_retried"] = error.status
    async with AsyncCrsEval(f"{front}/lost") as client:
        told["reconnected"] = (await client.score_factor("coherence", log)).factor
    told["given_up"] = []
    for path in ("hour", "final"):
        async with AsyncCrsEval(f"{front}/{path}") as client:
            try:
                await client.score_factor("coherence", log)
            except CrsEvalError as error:
                told["given_up"].append(error.status)
    async with AsyncCrsEval("http://127.0.0.1:9") as client:
        told["down"] = []
        for ask in (client.score(log), anext(client.batch(named))):
            begun = time.monotonic()
            try:
                await ask
            except UnreachableError:
                told["down"].append(time.monotonic() - begun)
    return told


if __name__ == "__main__":
    kind, service, between, path = sys.argv[1:]
    conversation = json.loads(Path(path).read_text())
    if kind == "aio":
        print(json.dumps(asyncio.run(asynchronous(service, between, conversation))))
    else:
        print(json.dumps(main(service, between, conversation)))
