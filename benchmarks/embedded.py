"""The embedded judge: conversations a second of one core, start and memory of a service with it alone,
and how its time grows with a log's length; and the tokens that a model reads for a log in every layout
and grouping.

    python -m benchmarks.embedded [--logs 200]

Writes `benchmarks/results/embedded.md`. Times are CPU times of this process, or of the service's."""

import argparse
import asyncio
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpe_openai
import httpx2

from service.api.wire.score import ScoreRequest
from service.domain.completion import Call, LLMRequest
from service.domain.conversation import ConversationLog
from service.domain.rubric import Protocol
from service.factors import load_factors
from service.judges.builtin import BuiltinJudge
from service.judges.inquiry import Case, Grouping, Inquiry, Layout
from service.judges.llm.questions import questions_of
from service.llm.capability import Capability
from service.text.catalogue import Catalogue

from .serving import ROOT, service

TABLE = Path(__file__).parent / "results" / "embedded.md"
CORE = load_factors().of(Protocol.CORE)
LENGTHS = (5, 50, 100, 250, 500)
ENCODING = bpe_openai.get_encoding("o200k_base")
SUBJECTS = ("a quiet film", "a thriller", "something by the sea", "a comedy for six people", "a western")
REASONS = ("I liked its calm", "it was too long", "my sister recommended it", "I know the book", "it rained")


def log_of(messages: int, seed: int) -> dict[str, Any]:
    """A conversation of that many messages, with a list in every reply."""
    chance = random.Random(seed)
    said: list[dict[str, Any]] = []
    for number in range(messages):
        subject, reason = chance.choice(SUBJECTS), chance.choice(REASONS)
        if number % 2:
            title = f"The Orchard {chance.randint(1, 999)}"
            said.append(
                {
                    "role": "assistant",
                    "content": f"Since you want {subject}, what about {title}? It is slow, and {subject} at heart.",
                    "recommendations": [title, f"Paper Lanterns {chance.randint(1, 999)}"],
                }
            )
        else:
            said.append({"role": "user", "content": f"I would like {subject}, number {number}: {reason}."})
    return {"messages": said}


def read(body: dict[str, Any]) -> tuple[ConversationLog, Catalogue | None]:
    """A body as the routes read it."""
    request = ScoreRequest.model_validate_json(json.dumps(body))
    items = tuple(item.value() for item in request.log.items or ())
    return request.log.value(), Catalogue.over(items, None)


async def judged(log: ConversationLog, catalogue: Catalogue | None) -> int:
    """All twelve verdicts."""
    inquiry = Inquiry(Case(log, catalogue), CORE)
    return len([verdict async for verdict in BuiltinJudge().ask(inquiry, Call())])


def cpu_of(logs: list[dict[str, Any]]) -> float:
    """Seconds of CPU for one log, from its domain value to twelve verdicts."""
    values = [read({"log": log}) for log in logs]

    async def work() -> None:
        for log, catalogue in values:
            assert await judged(log, catalogue) == len(CORE)

    asyncio.run(judged(*values[0]))  # loads what is loaded at first use
    begun = time.process_time()
    asyncio.run(work())
    return (time.process_time() - begun) / len(logs)


def examples(count: int) -> list[dict[str, Any]]:
    """The example conversations again and again, each time with another first message."""
    logs = [
        json.loads(path.read_text())["log"]
        for path in sorted((ROOT / "examples/logs").glob("*.json"))
        if path.stem != "broken"
    ]
    return [
        log
        | {
            "messages": [
                {**log["messages"][0], "content": f"{log['messages'][0]['content']} ({n})"},
                *log["messages"][1:],
            ]
        }
        for n, log in zip(range(count), (logs * count)[:count], strict=True)
    ]


def served() -> Iterator[str]:
    """Lines on the service as a process: start, memory, CPU an answer."""
    with service() as server:
        ready, started = server.ready_seconds, server.cpu_seconds()
        logs = examples(100)
        httpx2.post(f"{server.url}/score", json={"log": logs[0]}, timeout=30)
        before = server.cpu_seconds()
        with httpx2.Client(timeout=30) as client:
            for log in logs[1:]:
                assert client.post(f"{server.url}/score", json={"log": log}).status_code == 200
        cost = (server.cpu_seconds() - before) / (len(logs) - 1)
        yield f"| ready after | {ready:.2f} s ({started:.2f} s of CPU) |"
        yield f"| resident after {len(logs)} answers | {server.resident_megabytes():.0f} MB |"
        yield f"| CPU for an answer over HTTP | {cost * 1000:.1f} ms |"


def tokens(layout: Layout, grouping: Grouping, log: ConversationLog) -> tuple[int, int]:
    """Calls, and tokens of all their prompts and schemas."""
    inquiry = Inquiry(Case(log), CORE, layout=layout, grouping=grouping)
    blank = LLMRequest("local", "http://127.0.0.1", "model", ())
    questions = questions_of(inquiry, CORE, blank, Capability(), 200)
    texts = [
        *(message.content for question in questions for message in question.request.messages),
        *(question.request.schema or "" for question in questions),
    ]
    return len(questions), sum(len(ENCODING.encode(text)) for text in texts)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=int, default=200)
    given = parser.parse_args()
    each = cpu_of(examples(given.logs))
    lines = [
        "# The embedded judge, and what a log costs in tokens",
        "",
        f"`python -m benchmarks.embedded --logs {given.logs}`, the example conversations of eight to ten messages.",
        "",
        "| | |",
        "| --- | ---: |",
        f"| conversations a second of one core | {1 / each:,.0f} |",
        *served(),
        "",
        "| messages | CPU for twelve verdicts | for a message |",
        "| ---: | ---: | ---: |",
    ]
    for length in LENGTHS:
        seconds = cpu_of([log_of(length, seed) for seed in range(max(2, 200 // length))])
        lines.append(f"| {length} | {seconds * 1000:.1f} ms | {seconds / length * 1e6:.0f} us |")
    lines += ["", "Tokens (`o200k_base`) of all prompts and schemas for the twelve factors:", ""]
    lines += [
        "| messages | grouping | layout | calls | input tokens | a factor |",
        "| ---: | --- | --- | ---: | ---: | ---: |",
    ]
    for length in (10, 50):
        log, _ = read({"log": log_of(length, 1)})
        for grouping in Grouping:
            for layout in (Layout.FACTOR_FIRST, Layout.LOG_FIRST):
                calls, number = tokens(layout, grouping, log)
                lines.append(
                    f"| {length} | {grouping.value} | {layout.value} | {calls} | {number:,} | {number // len(CORE):,} |"
                )
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
