"""Open conversations in Redis and in SQLite do the same: nothing is lost, and nothing happens twice."""

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import ResponseError

from service.domain.idle import Idle
from service.live.conversation import Ended, ended, log_of, written
from service.live.intake import UnreadableError, read_post, sent
from service.live.users import UserKey
from service.store.conversations.protocol import (
    ALARM,
    DELETED,
    JUDGED,
    ClaimedConversation,
    Entry,
    Full,
    OutboxEvent,
    Snapshot,
    Unreachable,
    conversation_of,
    merged,
)
from service.store.conversations.redis import RedisConversations, answered
from service.store.conversations.sqlite import ADDED, SqliteConversations
from service.store.redis import connect
from tests.integration.live.conftest import PREFIX, Place, holding
from tests.patience import PATIENCE
from tests.redis_server import RedisServer

IDLE = Idle(600.0, {"quick": 60.0})
KEY = "k" * 32


def post(conversation: str = "c1", *messages: str, **fields: object) -> bytes:
    """A post of messages `id:text`; odd ones are the user's."""
    listed = [
        {"id": name, "role": "user" if name[-1] in "13579" else "assistant", "content": text}
        for name, _, text in (one.partition(":") for one in messages)
    ]
    return json.dumps({"conversation": conversation, "messages": listed, **fields}).encode()


async def add(place: Place, *contents: bytes) -> None:
    await place.conversations.put(contents)
    entries = await place.conversations.waiting(100, 0.05)
    assert [entry.content for entry in entries] == list(contents)
    await place.conversations.take([(entry, sent(entry, IDLE)) for entry in entries])


async def due(place: Place) -> Sequence[ClaimedConversation]:
    return await place.conversations.due(10)


async def only(place: Place) -> ClaimedConversation:
    (one,) = await due(place)
    return one


def texts(one: ClaimedConversation) -> list[str]:
    return [message["content"] for message in log_of(one, 100)[0]["messages"]]


async def judge(place: Place, one: ClaimedConversation) -> bool:
    return await place.conversations.record(one, JUDGED, b"{}")


async def events(place: Place, output: str = "one") -> list[tuple[str, str]]:
    taken = await place.conversations.undelivered(output, 100, 0.01)
    if taken:
        await place.conversations.delivered(output, taken)
    return [(one.kind, one.conversation) for one in taken]


async def test_a_conversation_that_is_over_is_judged_once_it_has_settled(place: Place) -> None:
    await add(place, post("c1", "m1:hello", "m2:hi"), post("c1", "m3:bye", complete=True))
    assert await due(place) == []
    await place.later(6)
    one = await only(place)
    assert (one.revision, one.complete, ended(one)) == (1, True, Ended.COMPLETE)
    assert texts(one) == ["hello", "hi", "bye"]
    assert await judge(place, one)
    await place.later(10_000)
    assert await due(place) == []
    assert await events(place) == await events(place, "two") == [(JUDGED, "c1")]
    assert await events(place) == []


async def test_the_oldest_due_conversation_says_how_long_it_has_waited(place: Place) -> None:
    await add(place, post("c1", "m1:hello", complete=True), post("c2", "m1:hello"))
    assert (await place.conversations.level()).oldest_due == 0
    await place.later(95)
    assert (await place.conversations.level()).oldest_due == pytest.approx(90, abs=5)


async def test_a_quiet_conversation_is_judged_after_the_idle_time_of_its_system(place: Place) -> None:
    await add(place, post("slow", "m1:hello"), post("fast", "m1:hello", system="quick"))
    await place.later(61)
    one = await only(place)
    assert (one.conversation, ended(one)) == ("fast", Ended.IDLE)
    assert await judge(place, one)
    await place.later(540)
    assert (await only(place)).conversation == "slow"


async def test_a_system_that_was_named_once_is_remembered(place: Place) -> None:
    await add(place, post("c1", "m1:hello", system="quick"), post("c1", "m2:hi"))
    await place.later(61)
    assert (await only(place)).idle == 60


async def test_repeats_change_nothing(place: Place) -> None:
    once = post("c1", "m1:hello", "m2:hi", complete=True)
    await add(place, once, once, post("c1", "m2:hi"))
    await place.later(6)
    one = await only(place)
    assert texts(one) == ["hello", "hi"]
    assert await judge(place, one)
    await add(place, once, post("c1", "m1:hello"))
    await place.later(10_000)
    assert await due(place) == []


async def test_a_message_that_is_edited_or_streamed_keeps_its_place_and_is_judged_again(place: Place) -> None:
    await add(place, post("c1", "m1:hello", "m2:I"), post("c1", "m2:I like it", "m3:bye", complete=True))
    await place.later(6)
    one = await only(place)
    assert texts(one) == ["hello", "I like it", "bye"]
    assert await judge(place, one)
    await add(place, post("c1", "m2:I like it", "m1:hello, you"))
    await place.later(6)
    again = await only(place)
    assert (again.revision, ended(again)) == (2, Ended.COMPLETE)
    assert texts(again) == ["hello, you", "I like it", "bye"]


async def test_a_message_with_an_index_alone_is_the_one_that_came_first(place: Place) -> None:
    said = [{"index": 0, "role": "user", "content": text} for text in ("hello", "hello, you")]
    await add(place, *(json.dumps({"conversation": "c1", "messages": [one]}).encode() for one in said))
    await place.later(601)
    assert texts(await only(place)) == ["hello"]


@pytest.mark.parametrize("name", [{"id": ""}, {"id": "turn-1"}, {"index": 0}])
async def test_an_id_that_is_empty_or_names_a_turn_loses_no_message(
    place: Place, name: dict[str, Any]
) -> None:
    said = [{**name, "role": role, "content": role} for role in ("user", "assistant")]
    await add(place, json.dumps({"conversation": "c1", "messages": said}).encode())
    await place.later(601)
    assert texts(await only(place)) == ["user", "assistant"]


async def test_messages_without_a_name_count_as_often_as_they_come(place: Place) -> None:
    nameless = json.dumps({"conversation": "c1", "role": "user", "content": "yes"}).encode()
    await add(place, nameless, nameless)
    await place.later(601)
    assert texts(await only(place)) == ["yes", "yes"]


async def test_taking_an_entry_twice_is_taking_it_once(place: Place) -> None:
    await place.conversations.put(
        [json.dumps({"conversation": "c1", "role": "user", "content": "yes"}).encode()]
    )
    (entry,) = await place.conversations.waiting(10, 0.05)
    if place.kind == "redis":  # its answer may be lost; SQLite answers in the same process
        await place.conversations.take([(entry, sent(entry, IDLE))])
    await place.conversations.take([(entry, sent(entry, IDLE))])
    await place.later(601)
    one = await only(place)
    assert (texts(one), one.version) == (["yes"], 1)


@pytest.mark.parametrize(
    "order",
    [
        {"index": (0, 1, 2)},
        {"created_at": ("2026-01-01T10:00:00Z", "2026-01-01T10:00:01Z", "2026-01-01T12:00:00+01:00")},
    ],
)
async def test_disorder_is_put_right(place: Place, order: dict[str, tuple[object, ...]]) -> None:
    ((field, values),) = order.items()
    messages = [{"id": f"m{n}", "role": "user", "content": str(n), field: values[n]} for n in (2, 0, 1)]
    if field == "created_at":
        messages[0]["created_at"] = "2026-01-01T11:00:02+01:00"
    await add(place, *(json.dumps({"conversation": "c1", "messages": [one]}).encode() for one in messages))
    await place.later(601)
    assert texts(await only(place)) == ["0", "1", "2"]


def test_a_time_without_a_zone_is_utc_wherever_the_worker_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as here:
        here.setenv("TZ", "Etc/GMT+5")
        time.tzset()
        assert written([{"created_at": "1970-01-01T00:00:09"}]) == (9.0, 9.0)
    time.tzset()


async def test_a_history_over_the_limit_leaves_room_for_what_is_judged(place: Place) -> None:
    history = json.loads(post("c1", *("m1:before",) * 5))["messages"]
    await add(place, post("c1", "m1:one", "m3:two", history=history))
    await place.later(601)
    log, left_out = log_of(await only(place), 4)
    assert (len(log["history"]), [one["content"] for one in log["messages"]], left_out) == (3, ["two"], 3)


async def test_what_comes_late_belongs_to_the_same_judgement(place: Place) -> None:
    await add(place, post("c1", "m2:hi", complete=True), post("c1", "m1:hello"))
    await place.later(6)
    one = await only(place)
    assert (len(one.messages), ended(one)) == (2, Ended.COMPLETE)


async def test_somebody_who_comes_back_gets_a_new_revision(place: Place) -> None:
    await add(place, post("c1", "m1:hello", "m2:hi", complete=True))
    await place.later(6)
    assert await judge(place, await only(place))
    await place.later(7200)
    await add(place, post("c1", "m3:me again"))
    assert await due(place) == []
    await place.later(601)
    one = await only(place)
    assert (one.revision, ended(one), texts(one)) == (2, Ended.IDLE, ["hello", "hi", "me again"])
    assert await judge(place, one)
    assert await events(place) == [(JUDGED, "c1")] * 2


async def test_a_conversation_that_never_ends_is_judged_as_one_in_progress(place: Place) -> None:
    for minute in range(0, 70, 5):
        await add(place, post("c1", f"m{minute}:still here"))
        await place.later(300)
    one = await only(place)
    assert ended(one) is Ended.IN_PROGRESS
    assert log_of(one, 100)[0]["complete"] is False
    assert await judge(place, one)
    assert await due(place) == []


@pytest.mark.parametrize("last", [(), (post("c1", "m99:bye", complete=True),)])
async def test_a_conversation_that_was_in_progress_is_judged_once_it_ends(
    place: Place, last: Sequence[bytes]
) -> None:
    for _ in range(13):
        await add(place, post("c1", "m1:still here", accepted=True), post("c1", accepted=False))
        await place.later(300)
    assert await judge(place, await only(place))
    await add(place, *last)
    await place.later(601)
    one = await only(place)
    assert (one.revision, one.unfinished, one.in_progress) == (2, 1, False)
    assert await judge(place, one)
    await add(place, post("c1", "m3:me again"))
    await place.later(601)
    assert await judge(place, await only(place))
    assert await due(place) == []
    events_ = await place.conversations.undelivered("one", 10, 0.05)
    assert [event.unfinished for event in events_] == [0, 1, 1]


async def test_a_file_of_an_earlier_release_gets_the_columns_that_it_lacks(tmp_path: Path) -> None:
    for drop in (False, True, True):
        place = SqliteConversations(tmp_path / "open.db")
        await place.prepare(["one"])
        await place.tell(JUDGED, "c1", b"{}")
        assert {one.unfinished for one in await place.undelivered("one", 10, 0.05)} == {0}
        for table, column in ADDED if drop else ():
            place._db.execute(f"alter table {table} drop column {column}")
        await place.aclose()


async def test_messages_that_come_during_a_judgement_make_a_revision_of_their_own(place: Place) -> None:
    await add(place, post("c1", "m1:hello", complete=True))
    await place.later(6)
    one = await only(place)
    await add(place, post("c1", "m3:wait"))
    assert await judge(place, one)
    await place.later(601)
    again = await only(place)
    assert (again.revision, texts(again)) == (2, ["hello", "wait"])


async def test_only_the_last_claim_of_a_conversation_counts(place: Place) -> None:
    await add(place, post("c1", "m1:hello", complete=True))
    await place.later(6)
    slow = await only(place)
    await place.later(61)  # past the lease
    quick = await only(place)
    assert (quick.attempts, quick.revision) == (2, 1)
    assert not await judge(place, slow)
    assert await judge(place, quick)
    assert not await judge(place, slow)
    assert await events(place) == [(JUDGED, "c1")]


async def test_a_record_whose_answer_was_lost_is_repeated_without_a_second_event(place: Place) -> None:
    if place.kind == "sqlite":
        pytest.skip("no answer of SQLite is lost")
    await add(place, post("c1", "m1:hello", complete=True))
    await place.later(6)
    one = await only(place)
    assert await judge(place, one)
    assert await judge(place, one)
    assert await events(place) == [(JUDGED, "c1")]


async def test_nothing_to_judge_is_dropped(place: Place) -> None:
    await add(place, post("c1", complete=True))
    await place.later(6)
    await place.conversations.drop(await only(place))
    await place.later(100)
    assert await due(place) == []
    assert await events(place) == []
    await add(place, post("c1", "m1:hello"))
    await place.later(601)
    assert (await only(place)).revision == 1


async def test_deletion_reaches_everything(place: Place) -> None:
    await add(place, post("c1", "m1:secret", complete=True), post("c2", "m1:hello", complete=True))
    await place.later(6)
    mine, other = sorted(await due(place), key=lambda one: one.conversation)
    await place.conversations.put([post("c1", "m3:secret too"), b'{"conversation": "c1", "wrong": 1}'])
    (_, wrong) = await place.conversations.waiting(10, 0.05)
    await place.conversations.set_aside(wrong, "no post")
    await place.conversations.forget("c1")
    assert not await judge(place, mine)
    assert await judge(place, other)
    assert await place.conversations.waiting(10, 0.05) == []
    assert await events(place) == [(DELETED, "c1"), (JUDGED, "c2")]
    await place.later(10_000)
    assert await due(place) == []


async def test_what_a_user_said_is_found_wherever_it_is_until_it_is_deleted(
    place: Place, live_redis: str
) -> None:
    """Open, judged, queued, shelved and in the dead letters; never under the id itself."""
    here, user = place.conversations, {"id": "anna@shop.example"}
    user_hash = UserKey(KEY).hash(user["id"])
    hidden = [post(name, "m1:hello", complete=True, user=user) for name in ("open", "judged")]
    hidden += [post("other", "m1:hello", user={"id": "anna"}), post("nobody", "m1:hello")]
    await add(
        place, *(read_post(one, UserKey(KEY)).model_dump_json(exclude_none=True).encode() for one in hidden)
    )
    await place.later(6)
    for one in await due(place):
        content = json.dumps({"conversation": one.conversation, "user_hash": user_hash}).encode()
        if one.conversation == "judged":
            assert await here.record(one, JUDGED, content)
    (event,) = await here.undelivered("one", 10, 0.05)
    await here.shelve("judged", [Snapshot("judged", event.number, b"{}", event.content)], 10)
    log = json.dumps({"id": "log", "user": user, "wrong": 1}).encode()
    await here.put([post("dead", user=user, wrong=1), log])
    for dead in await here.waiting(2, 0.05):
        await here.set_aside(dead, "no post")
    await here.put([post("queued", "m1:hello", user={"id": user_hash})])
    found = await here.find({user["id"], user_hash})
    assert set(map(conversation_of, found)) == {"open", "judged", "queued", "dead", "log"}
    (whole,) = [one for one in found if conversation_of(one) == "open"]
    assert (whole["messages"][0]["content"], whole["user"]) == ("hello", {"id": user_hash})
    for entry in found:
        await here.forget(conversation_of(entry))
    assert await here.find({user["id"], user_hash}) == []
    assert await here.find({"None", UserKey(KEY).hash("None")}) == []
    left = await everything(place, live_redis)
    assert user_hash.encode() not in left
    assert user["id"].encode() not in left
    assert [one["conversation"] for one in await here.find({UserKey(KEY).hash("anna")})] == ["other"]


@pytest.mark.parametrize("then", [{"age_group": "adults"}, {"id": "anna@shop.example"}])
async def test_a_conversation_keeps_every_user_that_it_had(place: Place, then: dict[str, Any]) -> None:
    """A visitor logs in, or a later post describes the user without an id."""
    key = UserKey(KEY)
    for user in ({"id": "visitor 7"}, then):
        content = post("c1", system="shop", user=user)
        await add(place, read_post(content, key).model_dump_json(exclude_none=True).encode())
    for user_hash in map(key.hash, ["visitor 7", then.get("id", "visitor 7")]):
        assert [one["conversation"] for one in await place.conversations.find({user_hash})] == ["c1"]
    assert await place.conversations.find({"system", key.hash("system")}) == []
    await place.later(10_000)
    (claimed,) = await due(place)
    known = [key.hash(one) for one in (then.get("id"), "visitor 7") if one]
    assert merged(claimed.facts)["user"] == {**then, "id": " ".join(known)}
    await place.conversations.give_up(claimed, "broken")
    for user_hash in known:
        found = await place.conversations.find({user_hash})
        assert len(found) == 2
        for kept in found:  # the text and the dead letter, which can be sent again
            again = read_post(json.dumps(kept).encode(), key).model_dump_json(exclude_none=True).encode()
            assert sent(Entry("1", again), IDLE, key).facts.keys() >= {*known}


async def test_a_deletion_leaves_no_name_behind(place: Place, live_redis: str) -> None:
    """Neither in alarms that showed the conversation, nor in the note that it was deleted."""
    here = place.conversations
    alarm = json.dumps({"id": "a", "shown": ["private", "c2"]}).encode()
    await here.tell(ALARM, "", alarm)
    (event, *_) = await here.undelivered("one", 10, 0.05)
    await here.shelve("alarms", [Snapshot("a", event.number, alarm, b"")], 10)
    await here.bury("two", event, "refused")
    await add(place, post("private", "m1:hello"))
    await here.forget("private")
    assert [json.loads(head)["shown"] for head in await here.shelf("alarms")] == [["c2"]]
    for output in ("one", "two"):
        found = await here.undelivered(output, 100, 0.01)
        assert found[-1].kind == DELETED
        assert output == "two" or json.loads(found[0].content)["shown"] == ["c2"]
        await here.delivered(output, found)
    assert b"private" not in await everything(place, live_redis)


@pytest.mark.parametrize("case", ["deleted text", "deleted result", "old letter"])
async def test_no_file_holds_what_was_deleted(place: Place, persistent_redis: RedisServer, case: str) -> None:
    here, text = place.conversations, f"a film about penguins on stilts: {case}"
    said = text if case == "deleted text" else "hello"
    await add(place, post("c1", f"m1:{said}", complete=True), post("c2", "m1:hello", complete=True))
    await here.put(
        [f'{{"conversation": "c1", "messages": [{text if case != "deleted result" else ""}'.encode()]
    )
    (broken,) = await here.waiting(10, 0.05)
    await here.set_aside(broken, "no post")
    await place.later(6)
    for one in await due(place):
        mine = case == "deleted result" and one.conversation == "c1"
        if case == "deleted text":
            await here.give_up(one, "a defect")
        else:
            await here.record(one, JUDGED, json.dumps({"text": text if mine else ""}).encode())
    folder = persistent_redis.folder if place.kind == "redis" else here._file.parent  # type: ignore[attr-defined]
    assert holding(folder, text)
    await (here.expire(4e9) if case == "old letter" else here.forget("c1"))
    deadline = time.monotonic() + PATIENCE
    while found := holding(folder, text):  # Redis rewrites its file in the background
        assert time.monotonic() < deadline, found
        await here.level()
        await asyncio.sleep(0.05)


async def test_a_conversation_that_cannot_be_judged_is_a_dead_letter_and_due_again_with_news(
    place: Place,
) -> None:
    await add(place, post("c1", "m1:hello", complete=True))
    await place.later(6)
    one = await only(place)
    await place.conversations.renew(one)
    assert await due(place) == []
    await place.conversations.give_up(one, "a defect")
    await place.later(10_000)
    assert await due(place) == []
    await add(place, post("c1", "m2:still there?", complete=True))
    await place.later(6)
    assert (await only(place)).revision == 1


async def test_a_claim_that_is_renewed_outlives_its_lease(place: Place) -> None:
    await add(place, post("c1", "m1:hello", complete=True))
    await place.later(6)
    one = await only(place)
    for _ in range(3):
        await place.later(place.conversations.lease * 0.7)
        await place.conversations.renew(one)
        assert await due(place) == []
    assert await judge(place, one)


async def everything(place: Place, url: str) -> bytes:
    """All names and values that a place holds, but for events that every output has taken."""
    if isinstance(place.conversations, SqliteConversations):
        return "\n".join(place.conversations._db.iterdump()).encode()
    client = connect(url, PATIENCE)
    try:
        await client.delete(f"{PREFIX}out")
        keys = [key async for key in client.scan_iter()]
        return b" ".join([*keys, *[await client.dump(key) or b"" for key in keys]])
    finally:
        await client.aclose()


async def test_what_is_older_than_the_retention_goes(place: Place) -> None:
    here = place.conversations
    (one,) = await judged_events(place, "a")
    await here.shelve("judged", [Snapshot("a", one.number, b"a", b"all")], 10)
    await here.bury("one", one, "refused")
    long_ago, soon = (1.0, 4e9)
    await here.expire(long_ago)
    assert list(await here.shelf("judged")) == [b"a"]
    await here.expire(soon)
    assert list(await here.shelf("judged")) == []
    assert await here.shelved("judged", "a") is None


async def test_conversations_that_are_not_judged_yet_are_counted(place: Place) -> None:
    await add(place, post("c1", "m1:hello", complete=True), post("c2", "m1:hello"))
    assert await place.conversations.remaining(["c1", "c2", "other"]) == 2
    await place.later(6)
    assert await judge(place, await only(place))
    assert await place.conversations.remaining(["c1"]) == 0
    assert await place.conversations.remaining([]) == 0


async def test_an_entry_read_before_a_deletion_does_not_bring_the_conversation_back(place: Place) -> None:
    log = b'{"id": "c1", "messages": [{"role": "user", "content": "secret"}]}'
    await place.conversations.put([post("c1", "m1:secret"), log])
    entries = await place.conversations.waiting(10, 0.05)
    await place.conversations.tell(JUDGED, "c1", b"{}")
    (event,) = await place.conversations.undelivered("one", 10, 0.01)
    await place.conversations.forget("c1")
    await place.conversations.take([(entry, sent(entry, IDLE)) for entry in entries])
    await place.conversations.set_aside(entries[0], "no post")
    await place.conversations.bury("one", event, "refused")
    assert (await place.conversations.level()).dead_letters == 0
    await place.later(10_000)
    assert await due(place) == []


async def test_events_that_nobody_took_wait(place: Place) -> None:
    await place.conversations.tell(JUDGED, "c1", b"1")
    (event,) = await place.conversations.undelivered("one", 10, 0.01)
    await place.conversations.bury("one", event, "refused")
    level = await place.conversations.level()
    assert (level.undelivered, level.dead_letters) == (1, 1)  # for `two`
    assert await events(place, "two") == [(JUDGED, "c1")]
    assert (await place.conversations.level()).undelivered == 0


async def test_an_output_that_is_no_longer_configured_holds_nothing_up(place: Place) -> None:
    await place.conversations.tell(JUDGED, "c1", b"{}")
    assert await events(place) == [(JUDGED, "c1")]
    assert (await place.conversations.level()).undelivered == 1
    await place.conversations.prepare(["one"])
    assert (await place.conversations.level()).undelivered == 0


async def test_a_disk_that_is_full_takes_nothing_until_there_is_room(tmp_path: Path) -> None:
    place = SqliteConversations(tmp_path / "open.db")
    (pages,) = place._db.execute("pragma page_count").fetchone()
    place._db.execute(f"pragma max_page_count = {pages}")
    with pytest.raises(Full):
        await place.put([b"x" * 100_000])
    place._db.execute("pragma max_page_count = 10000")
    await place.put([b"x" * 100_000])
    assert len(await place.waiting(10, 0.01)) == 1
    await place.aclose()


@pytest.mark.parametrize("reason", ["MISCONF Errors writing to the AOF file", "UNBLOCKED force unblock"])
def test_an_error_of_redis_that_passes_is_waited_out(reason: str) -> None:
    with pytest.raises(Unreachable), answered():
        raise ResponseError(reason)


async def test_a_redis_that_lost_everything_is_used_again(
    live_redis: str, persistent_redis: RedisServer
) -> None:
    place = RedisConversations(live_redis)
    await place.prepare(["one"])
    persistent_redis.ask("FLUSHALL")
    with pytest.raises(Unreachable):
        await place.level()
    assert (await place.level()).undelivered == 0
    await place.aclose()


async def test_values_are_kept_for_whoever_knows_the_one_before(place: Place) -> None:
    keep = place.conversations
    assert await keep.load("x") is None
    assert await keep.save("x", b"1", None)
    assert not await keep.save("x", b"2", None)
    assert not await keep.save("x", b"2", b"0")
    assert await keep.save("x", b"2", b"1")
    assert await keep.load("x") == b"2"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no json", "Invalid JSON"),
        (b'{"messages": []}', "conversation"),
        (b'{"conversation": "a\\u0000b", "role": "user", "content": "x"}', "control character"),
        (b'{"conversation": "c", "role": "user", "content": "x", "rol": 1}', "rol"),
        (b'{"conversation": "c", "user": {"id": "secret"}}', "CRS_EVAL_LIVE_USER_KEY"),
        (b'{"id": "c", "messages": [], "outcome": "secret"}', "outcome"),
        (b'{"id": "c", "messages": [], "outcome": {"accepted": true, "rating": 5}}', "outcome/rating"),
    ],
)
def test_what_is_no_post_is_told_without_its_text(content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason) as caught:
        sent(Entry("1", content), IDLE)
    assert "secret" not in str(caught.value)


def test_a_whole_log_in_a_line_is_a_conversation_that_is_over() -> None:
    line = {
        "id": "old",
        "system": "shop",
        "messages": [{"role": "user", "content": "hello"}],
        "outcome": {"accepted": True},
    }
    found = sent(Entry("7", json.dumps(line).encode()), IDLE)
    assert (found.conversation, found.complete) == ("old", True)
    assert json.loads(found.facts["accepted"]) == {"accepted": True}
    assert not sent(Entry("7", json.dumps({**line, "complete": False}).encode()), IDLE).complete


async def judged_events(place: Place, *names: str) -> list[OutboxEvent]:
    """Judge conversations and return the events, not yet delivered."""
    await add(place, *(post(name, "m1:hello", complete=True) for name in names))
    await place.later(6)
    for one in await due(place):
        assert await judge(place, one)
    return list(await place.conversations.undelivered("one", 100, 0.05))


async def test_a_shelf_holds_the_newest_and_forgets(place: Place) -> None:
    events_ = await judged_events(place, "a", "b", "c")
    rows = [Snapshot(one.conversation, one.number, one.conversation.encode(), b"all") for one in events_]
    here = place.conversations
    await here.shelve("judged", rows, 10)
    await here.shelve("judged", rows, 10)
    assert sorted(await here.shelf("judged")) == [b"a", b"b", b"c"]
    assert await here.shelved("judged", "a") == b"all"
    await here.forget("b")
    await here.shelve("judged", rows, 10)  # one worker had it in its hands
    assert sorted(await here.shelf("judged")) == [b"a", b"c"]
    assert await here.shelved("judged", "b") is None


async def test_a_shelf_that_is_full_drops_the_oldest(place: Place) -> None:
    heads = []
    for name in ("a", "b", "c"):
        (one,) = await judged_events(place, name)
        await place.conversations.shelve("judged", [Snapshot(name, one.number, name.encode(), b"")], 2)
        await place.conversations.delivered("one", [one])
        heads.append(await place.conversations.shelf("judged"))
    assert list(heads[-1]) == [b"c", b"b"]
