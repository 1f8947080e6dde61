"""`crs-eval live --follow` on a laptop: lines in, lines out, killed in between."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service.live.following import Follower
from service.live.users import NO_KEY
from service.store.conversations.sqlite import SqliteConversations
from tests import forked
from tests.patience import PATIENCE, wait_for

LAPTOP = """
import sys
for name in ("sqlalchemy", "psycopg"):
    sys.modules[name] = None
from service.cli.program import main
sys.exit(main())
"""
"""The command where the base install is all that there is."""

pytestmark = pytest.mark.slow


def line(conversation: str, number: int, text: str = "Any slow drama for me?", **more: object) -> str:
    role = "user" if number % 2 else "assistant"
    message = {"conversation": conversation, "system": "shop", "role": role, "content": text, **more}
    return json.dumps(message) + "\n"


def environment() -> dict[str, str]:
    return forked.environment(CRS_EVAL_LIVE_SETTLE="1s")


def command(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", LAPTOP, "live", "--factors", "coherence", *words],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE,
    )  # fmt: skip


def forked_command(folder: Path, *words: str) -> forked.Process:
    return forked.Process(
        forked.COMMAND_LINE, ["live", "--factors", "coherence", *words], cwd=folder, env=environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def results(file: Path) -> list[dict[str, Any]]:
    whole = file.read_text().split("\n")[:-1] if file.exists() else []
    return [json.loads(text)["event"] for text in whole]


def wait_for_results(file: Path, number: int) -> list[dict[str, Any]]:
    wait_for(lambda: len(results(file)) >= number, lambda: results(file))
    return results(file)


def test_conversations_of_a_file_are_judged_on_a_base_install(tmp_path: Path) -> None:
    chat = tmp_path / "chat.ndjson"
    chat.write_text(line("c1", 1) + line("c1", 2, "Try Paper Lanterns.") + line("c2", 1) + "no json\n")
    process = command(tmp_path, "--follow", "chat.ndjson", "--once", "--out", "out.ndjson")
    _, notes = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2  # a line could not be read
    assert b'"line":4' in notes.replace(b" ", b"")
    found = {one["conversation"]: one for one in results(tmp_path / "out.ndjson")}
    assert sorted(found) == ["c1", "c2"]
    assert (found["c1"]["messages"], found["c1"]["replies"], found["c1"]["system"]) == (2, 1, "shop")
    assert found["c1"]["verdicts"][0]["status"] == "scored"
    assert "Lanterns" not in (tmp_path / "out.ndjson").read_text()


def test_a_growing_file_is_followed_through_a_kill(tmp_path: Path) -> None:
    chat, out = tmp_path / "chat.ndjson", tmp_path / "out.ndjson"
    chat.write_text(line("c1", 1, complete=True) + line("c2", 1))
    words = ("--follow", "chat.ndjson", "--out", "out.ndjson", "--idle", "1h")
    with forked_command(tmp_path, *words) as process:
        wait_for_results(out, 1)
        process.kill()
    with chat.open("a") as file:
        file.write(line("c2", 2, complete=True) + line("c3", 1, complete=True)[:20])
    with out.open("a") as file:
        file.write('{"number":')  # half a line that a crash left
    with forked_command(tmp_path, *words) as process:
        try:
            wait_for_results(out, 2)
            with chat.open("a") as file:
                file.write(line("c3", 1, complete=True)[20:])
            found = wait_for_results(out, 3)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    assert sorted((one["conversation"], one["messages"]) for one in found) == [
        ("c1", 1),
        ("c2", 2),
        ("c3", 1),
    ]
    assert len({one["conversation"] for one in found}) == len(found)


async def test_a_file_that_is_rotated_or_truncated_is_followed(tmp_path: Path) -> None:
    chat, place = tmp_path / "chat.ndjson", SqliteConversations(tmp_path / "live.db")
    chat.write_text(line("c1", 1, "one"))
    following = asyncio.create_task(Follower(place, chat, NO_KEY).run())
    ids = {}
    for text in ("one", "two", "3"):
        if text == "two":
            chat.rename(tmp_path / "chat.ndjson.1")
        chat.write_text(line("c1", 1, text))
        async with asyncio.timeout(PATIENCE):
            while text not in ids:
                await asyncio.sleep(0.05)
                entries = await place.waiting(10, 0.05)
                said = [json.loads(entry.content)["messages"][0] for entry in entries]
                ids = {one["content"]: one["id"] for one in said}
    assert len(set(ids.values())) == len(ids) == 3
    following.cancel()
    await place.aclose()


async def test_a_file_that_is_written_anew_or_has_anothers_name_replaces_no_message(tmp_path: Path) -> None:
    chat, place = tmp_path / "chat.ndjson", SqliteConversations(tmp_path / "live.db")
    (tmp_path / "later").mkdir()
    texts = {"one": chat, "another one": chat, "one more": tmp_path / "later" / "chat.ndjson"}
    for text, file in texts.items():
        file.write_text(line("c1", 1, text))
        await Follower(place, file, NO_KEY, once=True).run()
    entries = [json.loads(entry.content).get("messages", ()) for entry in await place.waiting(10, 0.05)]
    said = {one["content"]: one["id"] for messages in entries for one in messages}
    assert said.keys() == texts.keys()
    assert len(set(said.values())) == len(texts)
    await place.aclose()


def test_older_conversations_are_judged_while_others_go_on(tmp_path: Path, live_redis: str) -> None:
    """Into the Redis of a system that is live: the command ends although somebody still talks there."""
    (tmp_path / "now.ndjson").write_text(line("now", 1))
    (tmp_path / "old.ndjson").write_text(
        "".join(
            line(f"c{number}", n, created_at=f"2026-01-0{number}T10:0{n}:00Z")
            for number in (1, 2)
            for n in (1, 2)
        )
    )
    live = ("--redis", live_redis, "--idle", "1h")
    with forked_command(tmp_path, *live, "--follow", "now.ndjson", "--out", "now.out") as others:
        try:
            words = (*live, "--follow", "old.ndjson", "--once", "--out", "now.out")
            assert forked_command(tmp_path, *words).wait(PATIENCE) == 0
            found = {one["conversation"]: one for one in wait_for_results(tmp_path / "now.out", 2)}
        finally:
            others.terminate()
            assert others.wait(PATIENCE) == 0
    assert sorted(found) == ["c1", "c2"]
    dated = [(found[name]["first_at"], found[name]["last_at"]) for name in ("c1", "c2")]
    assert dated == [(f"2026-01-0{day}T10:01:00Z", f"2026-01-0{day}T10:02:00Z") for day in (1, 2)]


def test_standard_input_is_judged_to_its_end_with_its_text_where_asked(tmp_path: Path) -> None:
    process = command(tmp_path, "--follow", "-", "--keep-text")
    out, notes = process.communicate(
        (line("c1", 1) + line("c1", 2, "Try Paper Lanterns.")).encode(), timeout=PATIENCE
    )
    assert process.returncode == 0, notes
    (found,) = [json.loads(text)["event"] for text in out.splitlines()]
    assert [message["content"] for message in found["log"]["messages"]][1] == "Try Paper Lanterns."
    assert found["verdicts"][0]["rationale"]
    assert b"Lanterns" not in notes


def test_what_cannot_start_says_what_to_change(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Milk, bread, butter and a film for the evening\n" * 9)
    for words, message in (
        (("--follow", "nowhere.ndjson"), "nowhere.ndjson: cannot be read"),
        (("--follow", "-", "--factors", "coherense"), "CRS_EVAL_LIVE_FACTORS"),
        (("--follow", "-", "--idle", "soon"), "is no span of time"),
        (("--follow", "-", "--redis", "redis://127.0.0.1:9/0"), "CRS_EVAL_LIVE_REDIS_URL: Redis does not"),
        (("--follow", "-", "--redis", "redis://127.0.0.1:9/shop"), "CRS_EVAL_LIVE_REDIS_URL: should be"),
        (("--follow", "-", "--database", "sqlite:///nowhere/results.db"), "no such folder: nowhere"),
        (("--port", "0", "--database", "sqlite:///notes.txt"), "CRS_EVAL_LIVE_DATABASE"),
        (("--port", "0", "--out", "."), "CRS_EVAL_LIVE_LINES"),
        (("--port", "0", "--state", "notes.txt"), "CRS_EVAL_LIVE_STATE"),
    ):
        done = forked.run(forked.COMMAND_LINE, ["live", *words], tmp_path, environment())
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
    process = command(tmp_path, "--follow", "-", "--database", "postgresql://x/y")
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert b"pip install 'crs-eval[live]'" in error
