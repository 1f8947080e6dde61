"""Conversations a second of `crs-eval live` with the embedded judge, by one worker and by two, beside the judge alone.

    python -m benchmarks.live

All messages are in the Redis stream before the workers start. The rate is that of the rows in PostgreSQL between the first tenth of
the conversations and the last. The judge alone answers the same conversations in this process. Writes
`benchmarks/results/live.md`."""

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from service.judges.embedded import EmbeddedJudge
from tests.postgres_server import PostgresServer
from tests.redis_server import RedisServer
from tools.live_soak import PERSISTENT, SAID, Workers, count, produce, said_in

from .embedded import cpu_of
from .serving import load_now, publish

FACTORS = "core"
CONVERSATIONS = 1_000
PATIENCE = 1200.0


def rate(workers: int) -> float:
    """Conversations that become rows in a second."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis = stack.enter_context(RedisServer(folder, *PERSISTENT))
        postgres = stack.enter_context(PostgresServer())
        asyncio.run(produce(redis.url, CONVERSATIONS))
        running = Workers(workers, redis.url, postgres.url, folder, factors=FACTORS)
        stack.callback(running.stop)
        first: tuple[float, int] | None = None
        ends = time.monotonic() + PATIENCE
        while (done := count(postgres.url)) < CONVERSATIONS:
            now = time.monotonic()
            if now > ends:
                raise TimeoutError(f"{done} of {CONVERSATIONS} conversations were judged in {PATIENCE:g} s")
            if first is None and done >= CONVERSATIONS / 10:
                first = now, done
            time.sleep(0.1)
        assert first is not None
        return (CONVERSATIONS - first[1]) / (time.monotonic() - first[0])


def page() -> Iterator[str]:
    """Lines of the report."""
    load = load_now()
    logs = [[{"messages": said_in(-1 - at - 50 * turn)} for at in range(50)] for turn in range(5)]
    alone = 1 / min(cpu_of(one, EmbeddedJudge()) for one in logs)
    yield "# Live conversations a second"
    yield ""
    yield (
        f"`python -m benchmarks.live`: {CONVERSATIONS:,} conversations of {len(SAID)} messages, one message a post, in disorder and with a repeat in"
        " each. The embedded"
    )
    yield "judge gives the twelve factors of CoRE. Redis (`appendfsync always`), PostgreSQL and the workers share"
    yield f"{os.cpu_count()} cores, {load} before anything ran."
    yield ""
    yield "| | conversations a second | of the judge alone |"
    yield "| --- | ---: | ---: |"
    yield f"| the judge alone, in one process | {alone:.0f} | 1 |"
    for workers, name in ((1, "one worker"), (2, "two workers")):
        found = rate(workers)
        yield f"| {name} | {found:.0f} | {found / alone:.2f} |"
    yield ""


if __name__ == "__main__":
    publish("live", "\n".join(page()))
