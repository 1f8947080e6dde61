"""Lines as an output: what is deleted or too old leaves them; what is refused goes to the dead letters."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from service.errors import ConfigurationError
from service.live.outputs.lines import Lines
from service.live.outputs.webhook import Webhook, secret_of
from service.live.worker import Worker, working
from service.store.conversations.protocol import ALARM, DELETED, JUDGED, OutboxEvent
from service.store.conversations.redis import RedisConversations
from service.store.redis import connect
from tests.integration.live.conftest import PREFIX
from tests.integration.live.test_webhooks import SECRET, Receiver
from tests.patience import PATIENCE


def event(number: int, conversation: str, kind: str = JUDGED, **fields: Any) -> OutboxEvent:
    content = json.dumps({"conversation": conversation, **fields}).encode()
    return OutboxEvent(str(number), number << 20, kind, conversation, content)


def alarm(number: int, *shown: str, at: str = "2026-01-01T00:00:00+00:00") -> OutboxEvent:
    return OutboxEvent(str(number), number << 20, ALARM, "", json.dumps({"at": at, "shown": shown}).encode())


def read(file: Path) -> list[Any]:
    return [json.loads(line)["event"] for line in file.read_text().splitlines()]


async def test_a_deletion_leaves_one_line_that_tells_of_it(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "out.ndjson"
    file.touch(mode=0o600)
    link.symlink_to(file)
    lines = Lines(link)
    await lines.prepare()
    await lines.take([event(1, "c1"), event(2, "c2"), alarm(3, "c1", "c2")])
    await lines.take([event(4, "c1", DELETED)])
    await lines.aclose()
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o600
    found = read(file)
    assert [one.get("conversation") for one in found] == ["c2", None, "c1"]
    assert found[1]["shown"] == ["c2"]


async def test_lines_older_than_the_retention_go(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    old, young = ((now - timedelta(days=days)).isoformat() for days in (9, 1))
    lines = Lines(tmp_path / "out.ndjson")
    await lines.prepare()
    await lines.take([event(1, "c1", judged_at=old), event(2, "c2", judged_at=young), alarm(3, at=old)])
    await lines.take([event(4, "c3", DELETED, at=old)])
    await lines.expire((now - timedelta(days=7)).timestamp())
    await lines.take([event(5, "c4", judged_at=young)])
    await lines.aclose()
    assert [one["conversation"] for one in read(tmp_path / "out.ndjson")] == ["c2", "c4"]


async def test_half_a_line_of_something_else_is_not_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    for text, left in (
        ("mine\n", "mine\n"),
        ('{"number":1}\nmine', '{"number":1}\nmine'),
        ('{"number":1}\n{"numb', '{"number":1}\n'),
    ):
        file.write_text(text)
        lines = Lines(file)
        with pytest.raises(ConfigurationError) if left == text else contextlib.nullcontext():
            await lines.prepare()
        await lines.aclose()
        assert file.read_text() == left


@pytest.fixture
async def client(live_redis: str) -> AsyncIterator[Any]:
    found: Any = connect(live_redis, PATIENCE)
    yield found
    await found.aclose()


async def test_the_judgements_of_a_user_are_found(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "out.ndjson")
    await lines.prepare()
    await lines.take(
        [event(1, "c1", user_hash="user-3 user-1"), event(2, "c2", user_hash="user-2"), alarm(3, "c1")]
    )
    await lines.take(
        [event(4, "c3", user_hash=None, log="I am user-1"), event(5, "c4", DELETED, at="user-1")]
    )
    assert [one["conversation"] for one in await lines.find("user-1")] == ["c1"]
    await lines.aclose()


async def test_what_a_receiver_refuses_goes_to_the_dead_letters_and_the_rest_arrives(
    live_redis: str, client: Any
) -> None:
    place = RedisConversations(live_redis)
    with Receiver(400, 400, 503, 200) as receiver:
        output = Webhook(receiver.url, secret_of(SECRET))
        worker = Worker(place, None, [output])  # type: ignore[arg-type]
        await worker.prepare()
        for name in ("c1", "c2"):
            await place.tell(JUDGED, name, json.dumps({"conversation": name}).encode())
        async with working(worker):
            async with asyncio.timeout(PATIENCE):
                while len(receiver.came) < 4 or not await client.xlen(f"{PREFIX}dead"):  # noqa: ASYNC110 - not ours
                    await asyncio.sleep(0.05)
        names = [json.loads(body)["data"]["conversation"] for _, body in receiver.came]
        ids = [headers["webhook-id"] for headers, _ in receiver.came]
        assert names == ["c1", "c1", "c2", "c2"]
        assert (ids[0], ids[2]) == (ids[1], ids[3])
    ((_, dead),) = await client.xrange(f"{PREFIX}dead")
    assert (dead[b"conversation"], dead[b"reason"]) == (b"c1", b"answered 400")
    await place.forget("c1")
    assert await client.xlen(f"{PREFIX}dead") == 0
    await place.aclose()
