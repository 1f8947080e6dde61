"""Measure the time and memory that the metrics of a large study take: as many sessions and lists as CONCEPT's
release has, made up here, all metrics with intervals. Times are CPU time of all threads together, which is
what one core would need.

    python -m benchmarks.metrics [--logs 6720] [--group-by system]

Parsing the same body with the standard library is timed in the same run, so that a figure from
another machine can be compared: what counts is the ratio."""

import argparse
import json
import random
import resource
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from service.catalogue.catalogue import Catalogue
from service.computed_metrics import MetricsReport, compute
from service.domain.conversation import ConversationLog, Item, Message, Outcome, Role, User

GENRES = ("action", "adventure", "comedy", "crime", "drama", "fantasy", "horror", "mystery", "romance", "war")
PERSONAS = ("curiosity", "boredom", "delight", "trust", "surprise", "frustration")
AGES = ("children", "teens", "adults", "seniors")
SYSTEMS = ("alpha", "beta", "gamma", "delta")
FIRST = ("Silent", "Broken", "Golden", "Hidden", "Last", "Crimson", "Distant", "Frozen", "Wild", "Paper")
SECOND = (
    "Harbour",
    "Mirror",
    "Orchard",
    "Station",
    "Lantern",
    "Voyage",
    "Garden",
    "Castle",
    "River",
    "Signal",
)
THIRD = ("Night", "Winter", "Promise", "Letters", "Game", "Song", "Road", "Child", "Stranger", "Dream")

T = TypeVar("T")
Body = dict[str, object]


def catalogue(size: int, chance: random.Random) -> list[dict[str, object]]:
    """Items with titles of three words and a year, and up to four genres each."""
    return [
        {
            "title": f"The {chance.choice(FIRST)} {chance.choice(SECOND)} of {chance.choice(THIRD)} {number} (19{10 + number % 90})",
            "attributes": {"genre": chance.sample(GENRES, chance.randint(1, 4))},
        }
        for number in range(size)
    ]


def session(number: int, titles: Sequence[str], rounds: int, length: int, chance: random.Random) -> Body:
    """A session of `rounds` replies with a list of `length` titles each; a fifth end in acceptance."""
    messages: list[Body] = [{"role": "user", "content": "Hello, I would like a film for tonight."}]
    for turn in range(rounds):
        shown = chance.sample(titles, length)
        reply = (
            f"Have you seen {shown[0]}? It is about people who find what they lost in turn {number} {turn}."
        )
        messages.append({"role": "assistant", "content": reply, "recommendations": shown})
        messages.append({"role": "user", "content": f"Tell me more about {shown[0]}, please."})
    accepted = number % 5 == 0
    return {
        "system": SYSTEMS[number % len(SYSTEMS)],
        "messages": messages,
        "user": {
            "persona": PERSONAS[number % len(PERSONAS)],
            "age_group": AGES[number % len(AGES)],
            "attributes": chance.sample(GENRES, 2),
        },
        "outcome": {"accepted": accepted, "message": len(messages) - 1 if accepted else None},
    }


def read(body: str) -> list[ConversationLog]:
    """The body's logs as domain values."""
    return [
        ConversationLog(
            messages=tuple(
                Message(
                    Role(message["role"]),
                    message["content"],
                    tuple(message["recommendations"]) if "recommendations" in message else None,
                )
                for message in log["messages"]
            ),
            system=log["system"],
            user=User(log["user"]["persona"], log["user"]["age_group"], tuple(log["user"]["attributes"])),
            outcome=Outcome(**log["outcome"]),
        )
        for log in json.loads(body)["logs"]
    ]


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of this process's CPU, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def megabytes() -> float:
    """The process's highest memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Measure, print, and fail where the limits (60 s, 1 GiB) are missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=6720)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--length", type=int, default=50)
    parser.add_argument("--items", type=int, default=6500)
    parser.add_argument("--group-by", nargs="*", default=["system"])
    asked = parser.parse_args()
    chance = random.Random(7)
    items = catalogue(asked.items, chance)
    titles = [str(item["title"]) for item in items]
    body = json.dumps(
        {"logs": [session(n, titles, asked.rounds, asked.length, chance) for n in range(asked.logs)]}
    )
    reference = timed(partial(json.loads, body))[0]
    logs = read(body)
    print(f"{asked.logs} logs, body {len(body) / 1e6:.0f} MB, {megabytes():.0f} MB held before the metrics")
    indexing, shelf = timed(
        lambda: Catalogue.of(Item(str(item["title"]), attributes=item["attributes"]) for item in items)  # type: ignore[arg-type]
    )
    report: MetricsReport
    seconds, report = timed(lambda: compute(logs, catalogue=shelf, group_by=asked.group_by))
    print(f"json.loads of the body {reference:.2f} s; catalogue indexed in {indexing:.2f} s")
    print(f"metrics {seconds:.1f} s CPU for {len(report.rows)} rows: {seconds / reference:.1f} x json.loads")
    print(f"highest memory {megabytes():.0f} MB")
    return 0 if seconds < 60 and megabytes() < 1024 else 1


if __name__ == "__main__":
    raise SystemExit(main())
