"""Live conversations under trouble: producers, workers that are killed, a Redis that is restarted, a PostgreSQL that goes away.

Every conversation must be in the table exactly once, and complete."""

import argparse
import asyncio
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from service.store.conversations.protocol import Unreachable
from service.store.conversations.redis import RedisConversations
from tests.postgres_server import PostgresServer
from tests.redis_server import RedisServer
from tools.distinct import distinct
from tools.service_process import ROOT, answers, free_port
from tools.soak import memory_of

PERSISTENT = (("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction"))
SYSTEMS = ("alpha", "beta", "gamma")
FACTORS = "coherence,proactiveness,naturalness,explainability"
BATCH = 100
KILLS = 5
"""Of each worker between two restarts of Redis."""
BETWEEN = 2.0
"""Seconds between two troubles."""
LEAST = 5
"""Troubles, however few the conversations: one of each kind."""

SAID = (
    ("user", "Hi, I would like a slow drama, something like The Glass Orchard."),
    ("assistant", "Have you seen Paper Lanterns? It is a quiet drama about two sisters, slow and warm."),
    ("user", "Not yet. Is it sad?"),
    ("assistant", "A little, but it ends on a hopeful note, because the sisters find their way back."),
    ("user", "Hmm, I'd rather have something with more humour."),
    ("assistant", "Then The Lemon Year may suit you: it is slow as well, and very funny."),
    ("user", "Who plays in it?"),
    ("assistant", "I do not know the cast by heart, sorry."),
    ("user", "Fine, I'll watch The Lemon Year tonight."),
    ("assistant", "Enjoy it!"),
)


@dataclass(frozen=True)
class Outcome:
    """The table in the end. `short` counts rows with too few messages, `troubles` what happened meanwhile, and `memory` is the most
    that a worker had, in bytes."""

    conversations: int
    rows: int
    lost: int
    twice: int
    short: int
    troubles: Counter[str]
    memory: int

    @property
    def sound(self) -> bool:
        """Return whether every conversation is there exactly once, with all of its messages."""
        return self.rows == self.conversations and not (self.lost or self.twice or self.short)


def said_in(number: int) -> list[dict[str, Any]]:
    """The messages of one conversation, in its own words."""
    return distinct([{"role": role, "content": said} for role, said in SAID], number)


def posts(first: int, last: int, source: random.Random) -> Iterator[bytes]:
    """The messages of conversations in disorder within each, with repeats; each end is posted last."""
    for number in range(first, last):
        name = f"soak-{number}"
        system = SYSTEMS[number % len(SYSTEMS)]
        messages = [{"id": f"m{n}", "index": n, **message} for n, message in enumerate(said_in(number))]
        order = source.sample(messages, len(messages))
        for message in [*order, source.choice(order)]:
            yield json.dumps({"conversation": name, "system": system, "messages": [message]}).encode()
        yield json.dumps({"conversation": name, "complete": True}).encode()


async def produce(url: str, conversations: int) -> None:
    """Post everything, again where Redis did not answer: repeats are harmless."""
    store = RedisConversations(url)
    stream = posts(0, conversations, random.Random(0))
    while batch := list(itertools.islice(stream, BATCH)):
        while True:
            try:
                await store.put(batch)
                break
            except Unreachable:
                await asyncio.sleep(0.1)
    await store.aclose()


class Workers:
    """Processes of `crs-eval live` that share a Redis and a database."""

    def __init__(
        self, number: int, redis: str, database: str, folder: Path, *, factors: str = FACTORS
    ) -> None:
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")},
            "CRS_EVAL_LIVE_REDIS_URL": redis,
            "CRS_EVAL_LIVE_DATABASE": database,
            "CRS_EVAL_LIVE_FACTORS": factors,
            "CRS_EVAL_LIVE_SETTLE": "3s",
            "CRS_EVAL_LIVE_LEASE": "5s",
            "CRS_EVAL_LOG_LEVEL": "warning",
            "PYTHONPATH": str(ROOT),
        }
        self._log = (folder / "workers.log").open("ab")
        self._ports = [free_port() for _ in range(number)]
        self._running = [self._start(which) for which in range(number)]

    def _start(self, which: int) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "service.cli.program", "live", "--port", str(self._ports[which])]
        return subprocess.Popen(command, env=self._environment, stdout=self._log, stderr=self._log)

    def kill(self, which: int) -> None:
        """SIGKILL one, and start another."""
        self._running[which].kill()
        self._running[which].wait()
        self._running[which] = self._start(which)

    def memory(self) -> int:
        """Return the memory of the largest, in bytes."""
        return max(memory_of(process.pid) for process in self._running)

    def ready(self) -> bool:
        """Return whether all of them work."""
        return all(map(answers, self._ports))

    def revive(self) -> None:
        """Start those again that ended by themselves, as Kubernetes does."""
        for which, process in enumerate(self._running):
            if process.poll() is not None:
                self._running[which] = self._start(which)

    def stop(self) -> None:
        """End all."""
        for process in self._running:
            process.terminate()
        for process in self._running:
            process.wait(60)
        self._log.close()


def rows(database: str) -> list[tuple[str, int, int]]:
    """Conversation, revision and number of messages of every row."""
    import psycopg

    with psycopg.connect(database) as connection:
        return connection.execute("select conversation, revision, messages from conversations").fetchall()


def count(database: str) -> int:
    """Count the conversations that have a row; 0 while the database is away."""
    import psycopg

    try:
        with psycopg.connect(database, connect_timeout=5) as connection:
            found = connection.execute("select count(distinct conversation) from conversations").fetchone()
            return int(found[0]) if found else 0
    except psycopg.Error:
        return 0


def _troubles(
    workers: Workers, redis: RedisServer, postgres: PostgresServer, away: float
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield one trouble after the other, for ever, each with its name."""

    def restart(number: signal.Signals) -> None:
        redis.stop(number)
        time.sleep(0.5)
        redis.start()

    def database_away() -> None:
        postgres.stop()
        time.sleep(away)
        postgres.start()

    killed = [("workers killed", partial(workers.kill, which)) for which in (0, 1)]
    restarted = [
        (f"restarts of Redis by {number.name}", partial(restart, number))
        for number in (signal.SIGTERM, signal.SIGKILL)
    ]
    yield from (killed[0], restarted[0], killed[1], ("PostgreSQL away", database_away), restarted[1])
    while True:
        for each in restarted:
            yield from [*killed * KILLS, each]


def soak(conversations: int, *, away: float = 20.0, patience: float = 3600.0) -> Outcome:
    """Post so many conversations of ten messages to two workers while something fails every other second."""
    done: Counter[str] = Counter()
    memory = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis = stack.enter_context(RedisServer(folder, *PERSISTENT))
        postgres = stack.enter_context(PostgresServer())
        workers = Workers(2, redis.url, postgres.url, folder)
        stack.callback(workers.stop)
        producer = threading.Thread(target=asyncio.run, args=[produce(redis.url, conversations)], daemon=True)
        producer.start()
        troubles = _troubles(workers, redis, postgres, away)
        ends = time.monotonic() + patience
        next_trouble = 0.0
        while count(postgres.url) < conversations or done.total() < LEAST:
            if time.monotonic() > ends:
                break
            workers.revive()
            memory = max(memory, workers.memory())
            if not workers.ready():  # a start may take longer than the time between two troubles
                next_trouble = time.monotonic() + BETWEEN
            elif time.monotonic() >= next_trouble:
                name, cause = next(troubles)
                cause()
                done[name] += 1
                next_trouble = time.monotonic() + BETWEEN
            time.sleep(0.5)
        time.sleep(4)  # a second row would come now
        return outcome(rows(postgres.url), conversations, done, memory)


def outcome(
    found: Sequence[tuple[str, int, int]], conversations: int, troubles: Counter[str], memory: int = 0
) -> Outcome:
    """Compare the table with what was posted."""
    names = [name for name, _, _ in found]
    lost = len({f"soak-{number}" for number in range(conversations)} - set(names))
    short = sum(messages != len(SAID) for _, _, messages in found)
    return Outcome(conversations, len(found), lost, len(names) - len(set(names)), short, troubles, memory)


def main() -> int:
    """Soak, and print what came out; 1 where a conversation is lost, double or short."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=20_000)
    began = time.monotonic()
    found = soak(parser.parse_args().conversations)
    print(
        f"{found.rows} rows for {found.conversations} conversations in {time.monotonic() - began:.0f} s: {found.lost} lost or unfinished, "
        f"{found.twice} double, {found.short} short"
    )
    for name, times in found.troubles.items():
        print(f"{name}: {times}")
    print(f"most memory of a worker: {found.memory / 1e6:.0f} MB")
    return 0 if found.sound else 1


if __name__ == "__main__":
    sys.exit(main())
