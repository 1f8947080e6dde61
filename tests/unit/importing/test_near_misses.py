"""Differences in the wild: other names, other types, nothing where something should stand."""

import json
import shlex
from typing import Any

import pytest

from service.importing.formats import AUTO
from service.importing.imported import OptionError, Wanted
from service.importing.importer import Import
from service.importing.reading import mapping
from service.importing.reading.suggestion import FORMS
from tests.unit.importing.importing import SAID, read, read_values, said_in


def _cell(value: Any) -> str:
    """A value as JSON in a cell of CSV."""
    return '"' + json.dumps(value).replace('"', '""') + '"'


TALK = [{"role": role, "content": text} for role, text in SAID]


@pytest.mark.parametrize(
    "value",
    [
        {"dialog": TALK},
        {"dialogue": TALK},
        {"turns": [{"speaker": role.upper(), "utterance": text} for role, text in SAID]},
        {"messages": [{"type": "human" if role == "user" else "ai", "content": text} for role, text in SAID]},
        {"messages": [{"sender": {"role": role}, "text": text} for role, text in SAID]},
        {"messages": [[{"user": "human", "assistant": "ai"}[role], text] for role, text in SAID]},
        {"chat_history": TALK, "messages": None},
        {"log": {"messages": TALK}},
        {"data": [{"messages": TALK}], "meta": {}},
        {"conversation-7": TALK},
    ],
)
def test_other_names_for_the_same(value: Any) -> None:
    assert said_in(read_values(value).one) == SAID


@pytest.mark.parametrize(("fields", "seen"), [({}, ""), ({"refusal": "I cannot."}, "I cannot.")])
def test_content_that_is_null_is_empty_or_a_refusal(fields: dict[str, str], seen: str) -> None:
    found = read_values({"messages": [TALK[0], {"role": "assistant", "content": None, **fields}, TALK[2]]})
    assert [text for _, text in said_in(found.one)] == [SAID[0][1], seen, SAID[2][1]]


def test_items_may_be_objects() -> None:
    shown = [
        {
            "id": "f1",
            "title": "Paper Lanterns",
            "genre": ["drama"],
            "price": 9.5,
            "attributes": {"year": "2009"},
        },
        {"name": "Glass Harvest"},
        "Tide",
    ]
    log = read_values({"messages": [TALK[0], {**TALK[1], "recommendations": shown}]}).one.log
    assert log["messages"][1]["recommendations"] == ["f1", "Glass Harvest", "Tide"]
    assert log["items"] == [
        {
            "id": "f1",
            "title": "Paper Lanterns",
            "attributes": {"genre": ["drama"], "price": ["9.5"], "year": ["2009"]},
        }
    ]


def test_what_has_no_place_is_metadata_and_what_is_long_is_counted() -> None:
    value = {
        "messages": TALK,
        "app": "web",
        "n": 3,
        "metadata": {"plan": "free", "deep": {"a": 1}},
        "blob": "x" * 2001,
    }
    one = read_values(value).one
    assert one.log["metadata"] == {"app": "web", "n": "3", "plan": "free", "deep": '{"a": 1}'}
    assert one.left == {"blob": 1}


@pytest.mark.parametrize("between", ["", "\n", ",\n", "\x1e"])
@pytest.mark.parametrize("indent", [None, 2])
def test_values_may_follow_one_another(between: str, indent: int | None) -> None:
    values = [{"id": name, "messages": TALK} for name in "ab"]
    found = read(between.join(json.dumps(value, indent=indent) for value in values))
    assert not found.faults
    assert [one.log["id"] for one in found.made] == ["a", "b"]


def test_what_is_unknown_is_named() -> None:
    found = read_values({"alpha": 1, "beta": [1]}, {"messages": TALK})
    assert [said_in(one) for one in found.made] == [SAID]
    assert [str(fault) for fault in found.faults] == [
        f"data:1: in no known format; its fields are alpha, beta. {FORMS}"
    ]


MAPPED = {"who": {"kind": "buyer"}, "said": {"words": "Hi"}, "chat": "c1"}


def test_names_are_mapped_at_any_depth() -> None:
    wanted = Wanted(
        fields={"role": "who.kind", "content": "said.words", "conversation": "chat"}, roles={"buyer": "user"}
    )
    log = read_values(MAPPED, wanted=wanted).one.log
    assert log == {"id": "c1", "messages": [{"role": "user", "content": "Hi"}]}


def test_a_name_that_names_nothing_is_told() -> None:
    wanted = Wanted(roles={"ann": "user", "tom": "assistant", "zoe": "user"})
    for talk in (
        _csv("conversation,role,text", "Ann", "Tom", "Ann"),
        "Ann: Hi\nTom: Hello\nAnn: A tent?\nTom: Sure",
    ):
        assert read(talk, wanted=wanted).summary[-1] == "--roles: nobody is called zoe."
    with pytest.raises(
        OptionError,
        match=r"content=conten: the data does not have this field\. It has content, messages, role",
    ):
        read_values({"messages": TALK}, wanted=Wanted(fields={"content": "conten"}))


OPENING = ["A tent please", "For how many people?", "Two but no red"]


def _csv(header: str, *names: str) -> str:
    """Two conversations a table, each opened in the same words."""
    rows = (f"{at},{name},{text}" for at in "12" for name, text in zip(names, OPENING, strict=True))
    return "\n".join([header, *rows, ""])


@pytest.mark.parametrize(
    ("content", "conversations"),
    [
        (_csv("Vorgang,Von,Text", "Kundin Meier", "Herr Groß", "Kundin Meier"), 2),
        (_csv("case,author_type,body", "end-user", "admin", "end-user"), 2),
        (_csv("conversation,speaker,text", "Anna", "Trailbot9", "Anna"), 2),
        (_csv("Fall,role,content", "user", "bot", "user"), 2),
        ("\n".join(json.dumps({"sid": "s", "event": {"by": by}, "words": {"en": text}}) for by, text in zip("UBU", OPENING, strict=True)), 1),
        (json.dumps({"talk": [{"by": by, "say": text} for by, text in zip(("me", "Tom", "me"), OPENING, strict=True)]}), 1),
        (json.dumps({"messages": [{"sender_name": by, "content": text} for by, text in zip(("Ann", "Tom", "Ann"), OPENING, strict=True)]}), 1),
        ("\n".join(f"12/25/23, 9:4{at} PM - {by}: {text}" for at, (by, text) in enumerate(zip(("+49 170 123", "Tent Shop", "+49 170 123"), OPENING, strict=True))), 1),
    ],
)  # fmt: skip
def test_the_options_that_a_refusal_shows_read_the_file(content: str, conversations: int) -> None:
    made = read(content, wanted=_shown(content))
    assert not made.faults
    said = list(zip(("user", "assistant", "user"), OPENING, strict=True))
    assert [said_in(one) for one in made.made] == [said] * conversations


def _shown(content: str) -> Wanted:
    """The options that the refusal of a file shows."""
    try:
        text = str(read(content).faults[0])
    except OptionError as error:
        text = str(error)
    words = shlex.split(text[text.index("--") :].partition(";")[0].partition(", or ")[0])
    found = dict(zip(words[::2], words[1::2], strict=True))
    fields, roles = (
        mapping.pairs([found[name]] if name in found else [], name) for name in ("--map", "--roles")
    )
    return Wanted(fields=fields, roles=mapping.roles(roles))


SESSION: dict[str, Any] = {"session": "s1", "turns": [{"who": by, "said": text} for by, text in zip(("guest", "bot", "guest"), OPENING, strict=True)]}  # fmt: skip
HELD: dict[str, Any] = {"key": 7, "talk": {"entries": [{"by": {"kind": one["who"]}, "words": one["said"]} for one in SESSION["turns"]]}}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "given", "shown"),
    [
        (SESSION, "", "role=who,content=said"),
        (SESSION, "content=said", "role=who,content=said"),
        ({"data": [SESSION], "pages": 1}, "role=who", "role=who,content=said"),
        ({"id": 1, "said": TALK[:3]}, "", "messages=said"),
        ({"id": 1, "talk": {"messages": TALK[:3]}, "n": 1}, "", "messages=talk.messages"),
        (HELD, "", "messages=talk.entries,role=by.kind,content=words"),
    ],
)
def test_a_refusal_shows_a_whole_example_whatever_was_given(value: Any, given: str, shown: str) -> None:
    found = read_values(value, wanted=Wanted(fields=mapping.pairs([given], "map")))
    (fault,) = found.faults
    assert f"its fields are {', '.join(value)}. Name" in fault.detail
    assert fault.detail.endswith(f"--map {shown}")
    made = read_values(value, wanted=Wanted(fields=mapping.pairs([shown], "map")))
    assert len(made.one.log["messages"]) == 3


@pytest.mark.parametrize("columns", [("wish", "advice"), ("bot_words", "wish")])
def test_a_refusal_names_the_fields_of_question_and_answer(columns: tuple[str, str]) -> None:
    rows = [{"ticket_id": at, columns[0]: "Any tents?", columns[1]: "The Alpina 2"} for at in (1, 2)]
    user, assistant = sorted(columns, reverse=True)
    assert read_values(*rows).faults[0].detail.endswith(f"--map user={user},assistant={assistant}")


def test_the_columns_of_a_table_are_named_as_in_the_file() -> None:
    given = Wanted(fields={"role": "Von"})
    with pytest.raises(OptionError, match=r"it has Fall, Worte, Von\. .*--map role=Von,content=THEIRS"):
        read("Fall,Von,Worte\n1,bot,Hi\n", "csv", given)


def test_two_users_or_two_bots_by_number_are_asked_for() -> None:
    for names in (("User 1", "User 2"), ("bot_a", "bot_b")):
        (fault,) = read_values({"turns": [{"speaker": name, "text": "Hi"} for name in names]}).faults
        assert f"who speaks as {', '.join(names)}. Give" in fault.detail


def test_roles_that_were_given_stay() -> None:
    talk = {"messages": [{"role": name, "content": "Hi"} for name in ("Ann", "Tom", "Jim")]}
    (fault,) = read_values(talk, wanted=Wanted(roles={"ann": "user"})).faults
    assert "--roles ann=user,Tom=assistant,Jim=assistant;" in fault.detail


PAIRS = [{"user": SAID[at][1], "bot": SAID[at + 1][1]} for at in (0, 2)]
FLAGGED = [{"chat_id": 1, "is_bot": role == "assistant", "text": text} for role, text in SAID]
EVENTS = [{"sessionId": "s", "event": f"{role}_message", "text": text} for role, text in SAID]
WRITTEN = "\n".join(f"{role.title()}: {text}" for role, text in SAID)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"id": "a", "turns": PAIRS}),
        *("\n".join(map(json.dumps, rows)) for rows in (FLAGGED, EVENTS)),
        json.dumps({"id": "a", "lang": "en", "transcript": WRITTEN}),
        f'id,transcript\na,"{WRITTEN}"\n',
        'id,turns\n1,"' + repr(TALK).replace('"', '""') + '"\n',
        'id,turns\n1,"' + repr(TALK).replace('"', '""').replace("}, {", "}\n {") + '"\n',
        json.dumps({"id": 1, "turns": TALK}, indent=1),
        "session_id,message\n" + "".join(f"1,{_cell({'type': role, 'content': text})}\n" for role, text in SAID),
        json.dumps({"title": "x", "chat": {"messages": TALK}, "user_id": "u"}),
        json.dumps({"messages": [*TALK, {"role": "assistant", "content": "Check the stock", "private": True}]}),
        json.dumps({"messages": [*TALK, {"type": "note", "author": {"role": "agent"}, "text": "Check the stock"}]}),
        json.dumps({"messages": [{"role": role, "content": text, "ts": 1772359200 + at} for at, (role, text) in enumerate(SAID)][::-1]}),
        *(json.dumps({"question": SAID[2][1], "chat_history": earlier, "answer": SAID[3][1]})
          for earlier in (TALK[:2], [[SAID[0][1], SAID[1][1]]], [{"user": SAID[0][1], "assistant": SAID[1][1]}], "\n".join(WRITTEN.split("\n")[:2]))),
        *(json.dumps({"messages": TALK[:3], "response": answer}) for answer in (SAID[3][1], TALK[3])),
        json.dumps({"session_id": 1, "input": SAID[0][1], "history": [], "output": SAID[1][1]}) + "\n"
        + json.dumps({"session_id": 1, "input": SAID[2][1], "history": TALK[:2], "output": SAID[3][1]}),
        "\n".join(json.dumps({role: text}) for role, text in SAID),
        "Session ID,Question,Bot Reply\n" + "".join(f'1,"{SAID[at][1]}","{SAID[at + 1][1]}"\n' for at in (0, 2)),
        "chat_id,user,bot\n" + "".join(f'1,"{text}",\n' if role == "user" else f'1,,"{text}"\n' for role, text in SAID),
        json.dumps({"messages": [{**TALK[at], "index": at} for at in (0, 2, 1, 3)]}),
        json.dumps({"messages": [{**TALK[at], "ts": 1772359200 + at} for at in (0, 2, 1, 3)]}),
        json.dumps({"messages": [{**one, "ts": 1772359200 + at} for one, at in zip(TALK, (1, 0, 3, 2), strict=True)]}),
        json.dumps({"chats": {"-Na": {"messages": {f"-N{at}": one for at, one in enumerate(TALK)}}}}),
        json.dumps({"messages": [{**one, "createdAt": {"$date": {"$numberLong": str(1772359200000 + at)}}} for at, one in enumerate(TALK)][::-1]}),
        json.dumps([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text} if role == "user" else {"part_kind": "text", "content": text}]} for role, text in SAID]),
        "System: Chat started\n" + WRITTEN.replace("Assistant", "Agent") + "\nSystem: Agent left",
        "\n".join(f"## {role.title()}\n\n{text}\n" for role, text in SAID),
        "\n".join(f"[{role.upper()}] {text}" for role, text in SAID),
        "\n".join(f"{'You' if role == 'user' else 'ChatGPT'} said:\n{text}" for role, text in SAID),
    ],
)  # fmt: skip
def test_what_is_clear_is_read(content: str) -> None:
    assert said_in(read(content).one) == SAID


def test_a_list_may_hold_messages_of_several_conversations() -> None:
    found = read_values({"messages": [{"session_id": name, **one} for name in "ab" for one in TALK]})
    assert [(one.log["id"], said_in(one)) for one in found.made] == [("a", SAID), ("b", SAID)]


def test_an_unread_row_leaves_out_its_conversation_alone() -> None:
    rows = [{"session_id": name, **one} for name in "ab" for one in TALK[:2]]
    found = read_values(
        *rows, {"session_id": "a", "role": "assistant", "delta": "Or"}, {"session_id": "b", **TALK[2]}
    )
    assert [(one.log["id"], said_in(one)) for one in found.made] == [("b", SAID[:3])]
    assert "'a' is left out" in str(found.faults[0])


def test_one_file_may_be_one_conversation() -> None:
    first = {"id": "a", "domain": "movie", "messages": [TALK[0], {**TALK[1], "rating": 3}], "app": "web"}
    second = {"id": "b", "messages": [TALK[2], {**TALK[3], "rating": 5, "recommendations": [{"id": "f", "title": "Tide"}]}]}  # fmt: skip
    whole = Wanted(whole_files=True)
    one = read_values(first, second, wanted=whole).one
    assert (one.log["id"], one.log["domain"], said_in(one)) == ("data", "movie", SAID)
    labels = [(row["conversation"], row["turn"], row["score"]) for row in one.labels]
    assert labels == [("data", 1, 3.0), ("data", 3, 5.0)]


def test_a_file_that_needs_an_option_stops_no_other() -> None:
    texts = ["Ines: A lamp?\nTom: How bright?\nInes: Very\nTom: Orla\n", "User: A lamp?\nBot: Orla\n"]
    files = [(f"{at}.txt", text.encode()) for at, text in enumerate(texts)]
    under_way = Import(files, AUTO, Wanted())
    assert [one.log["id"] for one in under_way.logs()] == ["1"]
    (fault,) = under_way.faults
    assert (fault.place, "--roles Ines=user,Tom=assistant" in fault.detail) == ("0.txt", True)


@pytest.mark.parametrize(
    "line",
    [
        '{"messages": [{"role": "wizard", "content": "x"}]}',
        '{"messages": [{"rol": "user"}]}',
        '{"messages": [',
    ],
)
def test_one_file_with_a_part_that_cannot_be_read_is_no_conversation(line: str) -> None:
    refused = read(f'{{"messages": {json.dumps(TALK)}}}\n{line}\n', wanted=Wanted(whole_files=True))
    assert not refused.made
    assert len(refused.faults) == 2


@pytest.mark.parametrize(
    ("content", "beginning"),
    [
        ("[]", "data: empty"),
        ('[\n  {"messages": [],},\n  {"messages": []}\n]', "data:2: not JSON: "),
        ("id,user_message,bot_reply\n1,Hi,Ho\n1,A,B\n", "data:2: its field id seems to name conversations"),
    ],
)
def test_a_file_is_refused_in_one_sentence(content: str, beginning: str) -> None:
    (fault,) = read(content).faults
    assert str(fault).startswith(beginning)
