"""Every importer on a sample in its format, of our own making: what was said comes through, labels
stand apart, and what cannot be read is named by its line."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.importing.imported import Wanted
from service.importing.talk.times import moment
from service.usecases.wire.log import Log
from tests.unit.importing.importing import Read, Said, parts_in, read, read_values, said_in

SAID: Said = [
    ("user", "A quiet film, please"),
    ("assistant", "Try Paper Lanterns (2009)"),
    ("user", "No, another"),
]
SAMPLES = Path(__file__).parent / "samples"


def sample(name: str, wanted: Wanted | None = None) -> Read:
    """Import a file that says what `SAID` says, and has one place that is wrong."""
    file = SAMPLES / name
    source = {"save": "ievalm", "own": "csv"}.get(file.stem, file.stem)
    return read(file.read_text(encoding="utf-8"), source, wanted)


@pytest.mark.parametrize(
    ("name", "broken", "labels"),
    [
        ("redial.jsonl", ":2", 1),
        ("crsarena.json", "[1]", 4),
        ("save.jsonl", ":2", 1),
        ("concept.jsonl", ":2", 0),
        ("inspired.tsv", ":5", 1),
        ("own.csv", ":5", 1),
    ],
)
def test_what_was_said_comes_through(name: str, broken: str, labels: int) -> None:
    found = sample(name, Wanted(system="ours"))
    (imported,) = found.made
    log = Log.model_validate_json(json.dumps(imported.log))
    assert [(message.role.value, message.content) for message in log.messages] == SAID
    assert [fault.place for fault in found.faults] == [f"data{broken}"]
    assert len(imported.labels) == labels
    assert all(label["conversation"] == log.id for label in imported.labels)
    assert "label" not in json.dumps(imported.log)
    assert imported.log["system"] == "ours"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image_url"}]}, "Hi"),
        ({"role": "user", "content": ""}, ""),
        ({"role": "user", "content": ["Hi"]}, "Hi"),
        ({"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}, "Hi"),
        ({"author": {"name": "anna", "isBot": False}, "content": "Hi"}, "Hi"),  # Discord
        # AI SDK 4 wrote both.
        ({"role": "user", "content": "", "parts": [{"type": "text", "text": "Hi"}]}, "Hi"),
    ],
)
def test_shapes_of_chats(message: Any, said: str) -> None:
    found = read_values({"messages": [message]}, {"messages": [message]}, source="chat")
    assert not found.faults
    assert [one.log["messages"][0]["content"] for one in found.made] == [said, said]


def test_telegrams_export_keeps_bold_words_and_counts_what_telegram_says() -> None:
    messages: list[Any] = [
        {"type": "service", "actor": "Anna", "action": "joined_telegram", "text": ""},
        {"type": "message", "from": "Anna", "text": "A coat?"},
        {"type": "message", "from": "ShopBot", "text": ["Try ", {"type": "bold", "text": "Lund"}, "."]},
    ]
    chat = {"name": "ShopBot", "type": "bot_chat", "id": 7, "messages": messages}
    found = read_values({"about": "Your data", "chats": {"about": "All chats", "list": [chat, chat]}})
    assert [said_in(one) for one in found.made] == [[("user", "A coat?"), ("assistant", "Try Lund.")]] * 2
    assert found.made[0].left == {"service messages": 1}


TEAMS: dict[str, Any] = {"id": "1", "messageType": "message", "createdDateTime": "2026-03-01T10:00:00Z", "chatId": "c", "body": {"content": "Hi"}}  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [{"author": {"name": name}, "content": "Hi"} for name in ("Anna", "Tom")]},
        [{**TEAMS, "from": {"user": {"displayName": name}}} for name in ("Anna", "Tom")],
    ],
)
def test_roles_are_given_to_names_inside_an_object(value: Any) -> None:
    (fault,) = read(json.dumps(value)).faults
    assert "--roles Anna=user,Tom=assistant" in fault.detail
    one = read(json.dumps(value), wanted=Wanted(roles={"anna": "user", "tom": "assistant"})).one
    assert said_in(one) == [("user", "Hi"), ("assistant", "Hi")]


def test_branches_of_which_none_was_shown_last_are_refused() -> None:
    first = {"messageId": "a", "isCreatedByUser": True, "text": "A coat?"}
    replies = [{"messageId": id_, "parentMessageId": "a", "isCreatedByUser": False, "text": id_} for id_ in "bc"]  # fmt: skip
    tree = [{**first, "children": replies[:1]}]
    assert said_in(read_values({"exportAt": "10:00", "messagesTree": tree}).one)[1] == ("assistant", "b")
    (fault,) = read_values({"exportAt": "10:00", "messages": [first, *replies]}).faults
    assert "export it again without branches" in fault.detail


def test_a_year_that_no_calendar_has_is_no_time() -> None:
    assert moment("Fri, 31 Dec 9999999999 23:59:59 GMT") is None


def test_slacks_times_are_read_and_who_joined_is_no_message() -> None:
    first = {"type": "message", "user": "U1", "text": "A coat &amp; hat?", "ts": "1714550400.000100", "user_profile": {"real_name": "Ines"}}  # fmt: skip
    reply = {**first, "bot_id": "B1", "text": "The Lund.", "ts": "1714550401.000200"}
    joined = {**first, "text": "<@U1> has joined", "subtype": "channel_join", "ts": "1714550300.0"}
    thread = {**reply, "thread_ts": "1.0"}
    found, other = read_values({"ok": True, "messages": [reply, first, joined, thread]}).made
    assert said_in(found) == [("user", "A coat & hat?"), ("assistant", "The Lund.")]
    assert (found.left["messages by Slack"], other.log["id"]) == (1, "1.0")
    assert found.log["messages"][0]["created_at"].startswith("2024-05-01T08:00:00.0001")


def test_one_bad_byte_loses_its_conversation_alone() -> None:
    content = "conversation,role,content\nc1,user,caf\u00e9\nc2,user,caf".encode() + b"\xe9\nc3,user,Bye\n"
    found = read(content, "csv")
    assert [one.log["id"] for one in found.made] == ["c1", "c3"]
    assert [str(fault) for fault in found.faults] == [
        "data:3: not UTF-8 at byte 3. Name the encoding of the file by --encoding, or repair it; 'c2' is left out"
    ]


def test_parts_that_nobody_saw_are_left_out_and_counted() -> None:
    called = {"type": "tool-search", "toolCallId": "c1", "state": "output-available", "output": {"n": 3}}
    start, thought = {"type": "step-start"}, {"type": "reasoning", "text": "They want something quiet."}
    first, reply, last = ({"type": "text", "text": text} for _, text in SAID)
    messages = [
        {"id": "1", "role": "user", "parts": [first, {"type": "file"}]},
        {"id": "2", "role": "assistant", "parts": [start, called]},
        {
            "role": "assistant",
            "parts": [start, thought, called, reply],
            "createdAt": "2026-01-01",
            "model": "m",
        },
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c2"}]},
        {"role": "tool", "content": "{}"},
        {"id": "4", "role": "user", "parts": [last]},
    ]
    imported = read_values({"id": "v", "title": "Films", "messages": messages}, source="chat").one
    assert said_in(imported) == SAID
    assert imported.log["messages"][2]["created_at"] == "2026-01-01"
    assert imported.log["metadata"] == {"title": "Films"}
    assert imported.log["messages"][2]["metadata"]["model"] == "m"
    search = [
        {"type": "tool_call", "id": "c1", "name": "search"},
        {"type": "tool_result", "call": "c1", "content": '{"n": 3}'},
    ]
    nameless = {"type": "tool_call", "id": "c2", "name": "tool"}
    assert parts_in(imported) == [search, search, [nameless], [{"type": "tool_result", "content": "{}"}]]
    assert imported.left == {
        "messages.parts of type file": 1, "messages.parts of type step-start": 2, "messages.parts of type reasoning": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("message", "detail"),
    [
        ({"role": "user", "words": "Hi"}, "message 0 has no content, text or parts (it has words)"),
        ({"role": "user", "parts": "Hi", "content": 3}, "a message's content is neither text nor parts"),
        ({"role": "user"}, "it has nothing else"),
        ({"role": "user", "items": [{"content_type": "text", "text": "Hi"}]}, "(it has items)"),
        ({"role": "user", "content": {"title": "Orla", "price": 9}}, "--map content=content.title"),
    ],
)
def test_a_message_without_text_is_refused(message: Any, detail: str) -> None:
    assert detail in read_values({"messages": [message]}, source="chat").refusal


def test_a_log_of_ours_comes_through_whole() -> None:
    log = {
        "id": "a", "messages": [{"role": "user", "content": "Hi", "metadata": {"lang": "en"}}],
        "history": [{"role": "user", "content": "Yesterday"}], "metadata": {"note": "x"}, "complete": False,
    }  # fmt: skip
    imported = read_values(log, source="chat").one
    assert imported.log == log
    assert not imported.left


@pytest.mark.parametrize(
    ("profile", "user"),
    [
        ("You feel confused about the system. As a child, you may struggle.", ("confusion", "children")),
        ("You are pleasantly surprised. Also, you are a Seniors person.", ("surprise", "seniors")),
        ("You like films.", (None, None)),
    ],
)
def test_concepts_profiles_tell_mood_and_age(profile: str, user: tuple[str | None, str | None]) -> None:
    dialog = {"context": [{"role": "user", "content": "Hello"}], "profile": [profile], "resp": "Some."}
    imported = read_values({"dialog_id": 1, "template": ["x"], "simulator_dialog": dialog}).one
    described = imported.log.get("user", {})
    assert (described.get("persona"), described.get("age_group")) == user
    missing = [f"user.{field} that the profile does not tell" for field in ("persona", "age_group")]
    assert [name for name in missing if name in imported.left] == (missing if user == (None, None) else [])
    metadata = imported.log["metadata"]
    assert (metadata["template"], metadata["resp"], metadata["profile"]) == ('["x"]', "Some.", profile)
