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
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from service.store.conversations.protocol import Unreachable
from service.store.conversations.redis import RedisConversations
from tests.postgres_server import PostgresServer
from tests.redis_server import RedisServer
from tools.distinct import distinct
from tools.service_process import ROOT, answers, free_port

PERSISTENT = (("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction"))
SYSTEMS = ("alpha", "beta", "gamma")
FACTORS = "coherence,proactiveness,naturalness,explainability"
BATCH = 100
KILLS = 5
"""Of each worker between two restarts of Redis."""

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


@dataclass
class Trouble:
    """The troubles while the conversations came."""

    workers_killed: int = 0
    redis_restarts: list[str] = field(default_factory=list)
    postgres_away: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """The table in the end, how long it took, and the most memory that a worker had, in bytes."""

    conversations: int
    rows: int
    lost: int
    twice: int
    short: int
    seconds: float
    trouble: Trouble
    memory: int = 0

    @property
    def sound(self) -> bool:
        """Return whether every conversation is there exactly once, with all of its messages."""
        return self.rows == self.conversations and not (self.lost or self.twice or self.short)


def said_in(number: int) -> list[dict[str, Any]]:
    """The messages of one conversation, in words of its own."""
    return distinct([{"role": role, "content": said} for role, said in SAID], number)


def posts(first: int, last: int, source: random.Random) -> Iterator[bytes]:
    """The messages of conversations in disorder within each, with repeats; the end is told at the end."""
    for number in range(first, last):
        name = f"soak-{number}"
        system = SYSTEMS[number % len(SYSTEMS)]
        messages = [{"id": f"m{n}", "index": n, **message} for n, message in enumerate(said_in(number))]
        order = source.sample(messages, len(messages))
        for message in [*order, source.choice(order)]:
            yield json.dumps({"conversation": name, "system": system, "messages": [message]}).encode()
        yield json.dumps({"conversation": name, "complete": True}).encode()


async def produce(url: str, conversations: int, seed: int = 0) -> None:
    """Post everything, again where Redis did not answer: repeats are harmless."""
    store = RedisConversations(url)
    stream = posts(0, conversations, random.Random(seed))
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
        """Return the resident memory of the largest, in bytes."""
        return max(_resident(process.pid) for process in self._running)

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
            process.send_signal(signal.SIGTERM)
        for process in self._running:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._log.close()


def _resident(process: int) -> int:
    """Return the resident memory of a process in bytes; 0 once it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


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


def _events(
    workers: Workers, redis: RedisServer, postgres: PostgresServer, trouble: Trouble, away: float
) -> Iterator[Callable[[], None]]:
    """Yield one trouble after the other, for ever."""

    def kill(which: int) -> None:
        workers.kill(which)
        trouble.workers_killed += 1

    def restart(number: signal.Signals) -> None:
        redis.stop(number)
        time.sleep(0.5)
        redis.start()
        trouble.redis_restarts.append(number.name)

    def database_away() -> None:
        postgres.stop()
        time.sleep(away)
        postgres.start()
        trouble.postgres_away += away

    yield partial(kill, 0)
    yield partial(restart, signal.SIGTERM)
    yield partial(kill, 1)
    yield database_away
    yield partial(restart, signal.SIGKILL)
    while True:
        for number in (signal.SIGTERM, signal.SIGKILL):
            yield from [partial(kill, which) for which in (0, 1) * KILLS]
            yield partial(restart, number)


def soak(
    conversations: int,
    *,
    every: float = 2.0,
    away: float = 20.0,
    patience: float = 3600.0,
    log: Path | None = None,
) -> Outcome:
    """Post so many conversations of ten messages to two workers while something fails every few seconds."""
    trouble = Trouble()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis = stack.enter_context(RedisServer(folder, *PERSISTENT))
        postgres = stack.enter_context(PostgresServer())
        workers = Workers(2, redis.url, postgres.url, log or folder)
        stack.callback(workers.stop)
        began = time.monotonic()
        command = [sys.executable, "-m", "tools.live_soak", "--produce", redis.url]
        producer = subprocess.Popen([*command, "--conversations", str(conversations)], cwd=ROOT)
        stack.callback(producer.kill)
        troubles = _events(workers, redis, postgres, trouble, away)
        needed = 5
        done = memory = 0
        next_trouble = began + every
        while count(postgres.url) < conversations or done < needed:
            if time.monotonic() > began + patience:
                break
            workers.revive()
            memory = max(memory, workers.memory())
            if not workers.ready():  # a start may take longer than the time between two troubles
                next_trouble = time.monotonic() + every
            elif time.monotonic() >= next_trouble:
                next(troubles)()
                done += 1
                next_trouble = time.monotonic() + every
            time.sleep(0.5)
        seconds = time.monotonic() - began
        time.sleep(4)  # a second row would come now
        producer.wait(60)
        return outcome(rows(postgres.url), conversations, seconds, trouble, memory)


def outcome(
    found: Sequence[tuple[str, int, int]],
    conversations: int,
    seconds: float,
    trouble: Trouble,
    memory: int = 0,
) -> Outcome:
    """Compare the table with what was posted."""
    names = [name for name, _, _ in found]
    wanted = {f"soak-{number}" for number in range(conversations)}
    twice = len(names) - len(set(names))
    short = sum(messages != len(SAID) for _, _, messages in found)
    lost = len(wanted - set(names))
    return Outcome(conversations, len(found), lost, twice, short, seconds, trouble, memory)


def main() -> int:
    """Soak, and print what came out; 1 where a conversation is lost, double or short."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=20_000)
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two troubles")
    parser.add_argument("--away", type=float, default=20.0, help="seconds that PostgreSQL is away")
    parser.add_argument("--log", type=Path, help="a folder for the workers' log")
    parser.add_argument("--produce", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.produce:
        asyncio.run(produce(options.produce, options.conversations))
        return 0
    found = soak(options.conversations, every=options.every, away=options.away, log=options.log)
    trouble = found.trouble
    print(
        f"{found.rows} rows for {found.conversations} conversations in {found.seconds:.0f} s: {found.lost} lost, "
        f"{found.twice} double, {found.short} short; {trouble.workers_killed} workers killed, Redis restarted by "
        f"{', '.join(trouble.redis_restarts) or 'nothing'}, PostgreSQL away for {trouble.postgres_away:g} s; a worker took {found.memory / 1e6:.0f} MB at most"
    )
    return 0 if found.sound else 1


if __name__ == "__main__":
    sys.exit(main())
