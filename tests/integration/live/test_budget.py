"""Each live conversation is judged within its own budget: one that overruns it, or breaks, holds up no other."""

import asyncio
import json
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from service.live.worker import working
from service.live_app import Live, build_live
from service.settings import Settings
from service.store.conversations.sqlite import SqliteConversations
from tests.factories import in_turns
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


def post(name: str, *texts: str) -> bytes:
    return json.dumps({"conversation": name, "messages": in_turns(*texts), "complete": True}).encode()


SHORT = post("short", "Something calm, please.", "Try Paper Lanterns: slow, and set by the sea.")


@asynccontextmanager
async def running(folder: Path, **more: Any) -> AsyncIterator[Live]:
    settings = Settings(
        live_state=folder / "open.db", live_lines=folder / "lines", live_settle=0.01, workers=1, **more
    )
    live = build_live(settings)
    try:
        await live.prepare()
        async with working(live.worker):
            yield live
    finally:
        await live.aclose()


async def failures(folder: Path, *names: str) -> dict[str, str | None]:
    """The failures in the results of these conversations, once all have one."""
    async with asyncio.timeout(PATIENCE):
        while True:
            await asyncio.sleep(0.05)
            lines = (folder / "lines").read_text().splitlines() if (folder / "lines").exists() else []
            events = [json.loads(line)["event"] for line in lines]
            found = {one["conversation"]: one["failure"] for one in events if "failure" in one}
            if set(names) <= set(found):
                return {name: found[name] for name in names}


@pytest.mark.parametrize(("number", "limit"), [(400, {"request_cpu": 2.0}), (2, {"max_body": 2000})])
async def test_a_conversation_over_a_limit_is_too_large(tmp_path: Path, number: int, limit: Any) -> None:
    long = post("long", *(f"Calm evening {n} by the sea, please. " * 40 for n in range(number)))
    async with running(tmp_path, **limit) as live:
        await live.conversations.put([long, SHORT])
        assert await failures(tmp_path, "long", "short") == {"long": "too_large", "short": None}


async def test_a_conversation_whose_judge_is_held_back_times_out(tmp_path: Path) -> None:
    others = multiprocessing.active_children()
    async with running(tmp_path, request_timeout=1.0) as live:
        (judge,) = [one for one in multiprocessing.active_children() if one not in others]
        assert judge.pid
        os.kill(judge.pid, signal.SIGSTOP)
        await live.conversations.put([SHORT])
        assert await failures(tmp_path, "short") == {"short": "timeout"}


async def test_a_conversation_that_breaks_is_a_dead_letter_and_the_next_one_is_judged(tmp_path: Path) -> None:
    async with running(tmp_path) as live:
        here = live.conversations
        assert isinstance(here, SqliteConversations)
        with here._step():
            here._db.execute(
                "insert into conversations (name, version, revision, attempts, complete, idle, first, since, last, due) "
                "values ('broken', 1, 0, 0, 1, 1, 0, 0, 0, 0)"
            )
            here._db.execute("insert into facts values ('broken', 'system', '[1]')")
            message = json.dumps({"role": "user", "content": "hello"})
            here._db.execute("insert into messages values ('broken', 'm1', 0, ?)", (message,))
        await here.put([SHORT])
        assert await failures(tmp_path, "short") == {"short": None}
        await live.conversations.put([post("later", "Something calm, please.", "Try Paper Lanterns.")])
        assert await failures(tmp_path, "later") == {"later": None}
        rows = here._db.execute("select source, conversation from dead").fetchall()
        assert rows == [("judging", "broken")]
