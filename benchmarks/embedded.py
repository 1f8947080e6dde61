"""The embedded judge: conversations a second of one core, start and memory of a service with it alone,
and how its time grows with a log's length; and the tokens that a model reads for a log in every grouping.

    python -m benchmarks.embedded

Writes `benchmarks/results/embedded.md`. Times are CPU times of this process, or of the service's."""

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import httpx2

from service.domain.completion import CacheMode, Call, Completion, LLMRequest, Usage
from service.domain.conversation import ConversationLog
from service.domain.verdict import JudgeName
from service.judges.embedded import EmbeddedJudge
from service.judges.evaluation import EvaluationRequest, Grouping, Judge, JudgeInput
from service.judges.llm import LLMJudge
from service.judges.llm.questions import questions_of
from service.llm.capability import Capability
from service.llm.failures import Answer
from tools.distinct import distinct

from .prompt_tokens import CORE, input_of, tokens_sent
from .serving import ROOT, load_now, publish, service, serving

LOGS, STARTS = 200, 7
LENGTHS = (5, 50, 100, 250, 500)
VERDICT = json.dumps(
    {
        "rationale": "The reply takes up what the user said and says why it fits. " * 5,
        "evidence": [{"message": 0, "quote": "I would like"}, {"message": 1, "quote": "Since you want"}],
        "score": 3,
    }
)
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


class AtOnce:
    """A model that answers at once, and cites: what is left is what the service spends on a call."""

    def capability(self, _: LLMRequest) -> Capability:
        """Return what most servers take."""
        return Capability()

    async def complete(self, requests: Sequence[LLMRequest], _: Call) -> list[Answer]:
        """The same verdict for everything."""
        return [Completion(VERDICT, request.model, Usage(1000, 200)) for request in requests]


JUDGES: Mapping[str, Callable[[], Judge]] = {
    "embedded": EmbeddedJudge,
    "a model's": lambda: LLMJudge(AtOnce(), JudgeName("local", "model"), "http://127.0.0.1"),
}


async def judged(judge: Judge, judge_input: JudgeInput) -> int:
    """All twelve verdicts."""
    evaluation = EvaluationRequest(judge_input, CORE)
    return len([verdict async for verdict in judge.ask(evaluation, Call(cache=CacheMode.OFF))])


def cpu_of(logs: list[dict[str, Any]], judge: Judge) -> float:
    """Seconds of CPU for one log, from its domain value to twelve verdicts."""
    inputs = list(map(input_of, logs))

    async def work() -> None:
        for each in inputs:
            assert await judged(judge, each) == len(CORE)

    asyncio.run(judged(judge, input_of(log_of(4, 0))))  # loads what is loaded at first use
    begun = time.process_time()
    asyncio.run(work())
    return (time.process_time() - begun) / len(logs)


def additions() -> float:
    """Seconds of CPU for a million additions in a loop: how fast Python is here and now."""
    begun = time.process_time()
    total = 0
    for number in range(1_000_000):
        total += number
    return time.process_time() - begun


def beside_additions(logs: int, number: int) -> tuple[float, float]:
    """Seconds of CPU for one log, and for a million additions; every number has its own texts."""
    return cpu_of(examples(logs, number * logs), EmbeddedJudge()), additions()


def logs_of(length: int, mark: str) -> list[dict[str, Any]]:
    """Logs of that many messages, of a hundred messages together, whose texts nobody has read before."""
    made = [log_of(length, seed) for seed in range(max(1, 100 // length))]
    return [{"messages": distinct(log["messages"], f"{mark} {at}")} for at, log in enumerate(made)]


def growth(rounds: int) -> Iterator[str]:
    """Lines on logs of every length, judged in turns; the least of the rounds is what a log takes."""
    least: dict[tuple[str, int], float] = {}
    for number in range(rounds):
        for name, judge in JUDGES.items():
            for length in LENGTHS:
                took = cpu_of(logs_of(length, f"{name} {number}"), judge())
                least[name, length] = min(took, least.get((name, length), took))
    for length in LENGTHS:
        cells = [
            f"{least[name, length] * 1e3:.1f} ms | {least[name, length] / length * 1e6:.0f} us"
            for name in JUDGES
        ]
        yield f"| {length} | {' | '.join(cells)} |"
    yield ""
    shortest, longest = 50, LENGTHS[-1]
    times = [f"{name} x {least[name, longest] / least[name, shortest]:.1f}" for name in JUDGES]
    yield f"From {shortest} to {longest} messages, x {longest / shortest:.0f}: {', '.join(times)}."


def examples(count: int, first: int = 0) -> list[dict[str, Any]]:
    """The example conversations again and again, each time with other messages: none is one that was read before."""
    logs = [
        json.loads(path.read_text())["log"]
        for path in sorted((ROOT / "examples/logs").glob("*.json"))
        if path.stem != "broken"
    ]
    return [
        log | {"messages": distinct(log["messages"], n)}
        for n, log in zip(range(first, first + count), (logs * count)[:count], strict=True)
    ]


def start_of(module: str) -> tuple[float, float, float]:
    """Start a module once, and stop it: seconds until `/readyz` says yes, seconds of CPU, megabytes."""
    with serving(module, {"CRS_EVAL_LOG_FORMAT": "json"}, alive="/readyz") as server:
        return server.ready_seconds, server.cpu_seconds(), server.resident_megabytes()


def starts(times: int) -> Iterator[str]:
    """Lines on fresh processes of the service and of a bare FastAPI app, started in turns."""
    pairs = [(start_of("service"), start_of("benchmarks.bare")) for _ in range(times)]
    ratio = median(ours[0] / bare[0] for ours, bare in pairs)
    for name, found in zip(("the service", "a bare FastAPI app"), zip(*pairs, strict=True), strict=True):
        seconds, cpu, held = zip(*found, strict=True)
        times_bare = f"{ratio:.1f}" if name == "the service" else "1.0"
        yield (
            f"| {name} | {min(seconds):.2f} s | {median(seconds):.2f} s | {median(cpu):.2f} s | {times_bare} | "
            f"{max(held):.0f} MB |"
        )


def served() -> Iterator[str]:
    """Lines on the service as a process: CPU an answer, memory after many."""
    with service() as server:
        logs = examples(100)
        httpx2.post(f"{server.url}/score", json={"log": logs[0]}, timeout=60)
        before = server.cpu_seconds()
        with httpx2.Client(timeout=60) as client:
            for log in logs[1:]:
                assert client.post(f"{server.url}/score", json={"log": log}).status_code == 200
        cost = (server.cpu_seconds() - before) / (len(logs) - 1)
        yield f"| CPU for an answer over HTTP | {cost * 1000:.1f} ms |"
        yield f"| resident after {len(logs)} answers | {server.resident_megabytes():.0f} MB |"


def tokens(grouping: Grouping, log: ConversationLog) -> tuple[int, int]:
    """Calls, and tokens of all their prompts and schemas."""
    evaluation = EvaluationRequest(JudgeInput(log), CORE, grouping=grouping)
    blank = LLMRequest("local", "http://127.0.0.1", "model", ())
    questions = questions_of(evaluation, CORE, blank, Capability(), 200)
    return len(questions), sum(tokens_sent(question.request) for question in questions)


def main() -> None:
    """Measure, print, write."""
    busy = load_now()
    rounds = [beside_additions(LOGS, number) for number in range(9)]
    each, counting = map(min, zip(*rounds, strict=True))
    slowest = max(counted for _, counted in rounds)
    usual = median(ours for ours, _ in rounds)
    beside = median(counted / ours for ours, counted in rounds)
    lines = [
        "# The embedded judge, and what a log costs in tokens",
        "",
        f"`python -m benchmarks.embedded`, {os.cpu_count()} cores, {busy} before "
        f"anything ran; the example conversations of eight to ten messages. Python {' '.join(sys.version.split())}.",
        "",
        "| | |",
        "| --- | ---: |",
        f"| conversations a second of one core, the best of {len(rounds)} rounds | {1 / each:,.0f} |",
        f"| and in the median round | {1 / usual:,.0f} |",
        f"| conversations in the time of a million additions | {beside:.1f} |",
        f"| a million additions, at best and at worst: how steady the machine was | {counting * 1000:.0f} to {slowest * 1000:.0f} ms |",
        *served(),
        "",
        f"Time from the start of a process until `/readyz` says yes: {STARTS} starts of each, in turns.",
        "Imports were compiled before. *Times* is the median of the ratios.",
        "",
        "| | fastest | median | CPU | times | resident when ready, at most |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *starts(STARTS),
        "",
        "CPU for twelve verdicts on longer logs, and for each of their messages. Beside the embedded judge stands a model's judge",
        "whose model answers at once (prompts, reading, checks of quotations).",
        "",
        "| messages | embedded | for a message | a model's | for a message |",
        "| ---: | ---: | ---: | ---: | ---: |",
        *growth(3),
    ]
    lines += ["", "Tokens (`o200k_base`) of all prompts and schemas for the twelve factors:", ""]
    lines += [
        "| messages | grouping | calls | input tokens | a factor |",
        "| ---: | --- | ---: | ---: | ---: |",
    ]
    for length in (10, 50):
        log = input_of(log_of(length, 1)).log
        for grouping in Grouping:
            calls, number = tokens(grouping, log)
            lines.append(f"| {length} | {grouping.value} | {calls} | {number:,} | {number // len(CORE):,} |")
    publish("embedded", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
