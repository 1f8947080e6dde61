"""Every importer on a sample in its format, of our own making: what was said comes through, labels
stand apart, and what cannot be read is named by its line."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from service.api.wire.log import Log
from service.importing.entries import Fault
from service.importing.imported import Imported, OptionError, Wanted
from tests.unit.importing.importing import Said, parts_in, read_values, said_in
from tests.unit.importing.importing import read as read_text


@dataclass(frozen=True)
class Sample:
    """A file, what it says, and a line in it that is wrong."""

    name: str
    content: str
    said: Said
    source: str
    broken: str
    """The place of the wrong line, after the path."""
    labels: int


SAID: Said = [
    ("user", "A quiet film, please"),
    ("assistant", "Try Paper Lanterns (2009)"),
    ("user", "No, another"),
]


def _lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


CHAT = Sample(
    "chat.jsonl",
    _lines(
        {
            "id": "a",
            "messages": [
                {"role": "system", "content": "Be kind"},
                *({"role": r, "content": c} for r, c in SAID),
            ],
        },
        {"messages": [{"role": "wizard", "content": "x"}]},
    ),
    SAID,
    "chat",
    ":2",
    0,
)
REDIAL = Sample(
    "redial.jsonl",
    _lines(
        {
            "conversationId": "391",
            "initiatorWorkerId": 5,
            "respondentWorkerId": 9,
            "movieMentions": {"77": "Paper Lanterns (2009)"},
            "initiatorQuestions": {"77": {"suggested": 1, "liked": 1, "seen": 0}},
            "respondentQuestions": [],
            "messages": [
                {"messageId": 1, "senderWorkerId": 5, "text": "A quiet film, please"},
                {"messageId": 2, "senderWorkerId": 9, "text": "Try @77"},
                {"messageId": 3, "senderWorkerId": 5, "text": "No, another"},
            ],
        },
        {"conversationId": "392", "messages": []},
    ),
    SAID,
    "redial",
    ":2",
    1,
)
CRSARENA = Sample(
    "crsarena.json",
    json.dumps(
        [
            {
                "conv_id": "oldcrs_redial_06c2c40a-921b-414a-85cc-2501469605cd",
                "dialogue": [
                    {"turn_ind": 0, "role": "USER", "utterance": SAID[0][1]},
                    {
                        "turn_ind": 1,
                        "role": "ASST",
                        "utterance": SAID[1][1],
                        "turn_level_aggregated": {"relevance": 2, "interestingness": 1},
                    },
                    {"turn_ind": 2, "role": "USER", "utterance": SAID[2][1]},
                ],
                "dial_level_aggregated": {"understanding": 1, "dialogue_overall": 3},
            },
            {"conv_id": "x"},
        ]
    ),
    SAID,
    "crsarena",
    "[1]",
    4,
)
DIALOG = {
    "context": [
        {"role": "user", "content": "Seen anything good?"},
        {"role": "assistant", "content": "Some."},
        {"role": "user", "content": SAID[0][1]},
        {"role": "assistant", "content": SAID[1][1], "rec_items": [3, 1], "rec_success": False},
        {"role": "user", "content": SAID[2][1]},
    ]
}
IEVALM = Sample(
    "save.jsonl",
    _lines(
        {
            "dialog_id": 12,
            "turn_id": 3,
            "rec": ["Glass Harvest (2018)"],
            "simulator_dialog": DIALOG,
            "persuasiveness_score": "1",
        },
        {"dialog_id": 13},
    ),
    SAID,
    "ievalm",
    ":2",
    1,
)
CONCEPT = Sample(
    "concept.jsonl",
    _lines(
        {
            "dialog_id": 12,
            "turn_id": 3,
            "simulator_dialog": {
                "context": [
                    {"role": "user", "content": SAID[0][1]},
                    {"role": "assistant", "content": SAID[1][1], "rec_items": [3, 1]},
                    {"role": "user", "content": f"{SAID[2][1]} [END]", "feelings": "So-so."},
                ],
                "attributes": ["drama", "quiet"],
                "profile": ["You are full of curiosity, as adults are."],
            },
        },
        {"simulator_dialog": {"context": "none"}},
    ),
    SAID,
    "concept",
    ":2",
    0,
)
INSPIRED = Sample(
    "inspired.tsv",
    "dialog_id\tutt_id\tspeaker\tturn_id\ttext\tfirst_label\tsecond_label\tcase\n"
    'd1\t0\tSEEKER\t0\t"A quiet film, please"\t\t\taccept_rating_good\n'
    "d1\t1\tRECOMMENDER\t1\tTry Paper Lanterns (2009)\tencouragement\tcredibility\taccept_rating_good\n"
    "d1\t2\tSEEKER\t1\tNo, another\t\t\taccept_rating_good\n"
    "d2\t0\tSEEKER\t0\n",
    SAID,
    "inspired",
    ":5",
    1,
)
CSV = Sample(
    "own.csv",
    "conversation,role,content,recommendations,label:overall,rater\n"
    'c1,user,"A quiet film, please",,4,anna\n'
    '"c1",bot,Try Paper Lanterns (2009),"Paper Lanterns (2009)|PS, I Wander (2001)",,anna\n'
    'c1,user,"No, another",,,anna\n'
    "c2,wizard,x,,,\n",
    SAID,
    "csv",
    ":5",
    1,
)
SAMPLES = {sample.name: sample for sample in (CHAT, REDIAL, CRSARENA, IEVALM, CONCEPT, INSPIRED, CSV)}
NAMES = {"1": "Paper Lanterns (2009)", "3": "Glass Harvest (2018)"}


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., tuple[list[Imported], list[Fault], Path]]:
    def imported(sample: Sample, wanted: Wanted | None = None) -> tuple[list[Imported], list[Fault], Path]:
        found = read_text(tmp_path, sample.content, sample.source, wanted)
        return found.made, found.faults, tmp_path / "data"

    return imported


@pytest.mark.parametrize("name", SAMPLES)
def test_what_was_said_comes_through(name: str, read: Callable[..., Any]) -> None:
    sample = SAMPLES[name]
    (imported,), faults, path = read(sample)
    log = Log.model_validate_json(json.dumps(imported.log))
    assert [(message.role.value, message.content) for message in log.messages] == sample.said
    assert [fault.place for fault in faults] == [f"{path}{sample.broken}"]
    assert len(imported.labels) == sample.labels
    assert all(label["conversation"] == log.id for label in imported.labels)
    assert "label" not in json.dumps(imported.log)


def test_lists_come_by_the_names_of_their_numbers(read: Callable[..., Any]) -> None:
    for sample in (IEVALM, CONCEPT):
        (imported,), _, _ = read(sample, Wanted(names=NAMES))
        assert imported.log["messages"][1]["recommendations"] == [
            "Glass Harvest (2018)",
            "Paper Lanterns (2009)",
        ]
        (unnamed,), _, _ = read(sample)
        assert "recommendations" not in unnamed.log["messages"][1]


def test_what_each_format_knows_besides(read: Callable[..., Any]) -> None:
    logs = {name: read(sample, Wanted(system="ours"))[0][0] for name, sample in SAMPLES.items()}
    assert {imported.log["system"] for imported in logs.values()} == {"ours"}
    assert logs["redial.jsonl"].log["ground_truth"] == ["Paper Lanterns (2009)"]
    assert logs["save.jsonl"].log["ground_truth"] == ["Glass Harvest (2018)"]
    assert [m["content"] for m in logs["save.jsonl"].log["history"]] == ["Seen anything good?", "Some."]
    assert logs["save.jsonl"].labels[0]["score"] == 1
    concept = logs["concept.jsonl"].log
    assert concept["outcome"] == {"accepted": True, "message": 2}
    assert concept["user"] == {
        "attributes": ["drama", "quiet"],
        "persona": "curiosity",
        "age_group": "adults",
    }
    assert concept["messages"][2]["thoughts"] == "So-so."
    assert logs["inspired.tsv"].log["outcome"] == {"accepted": True}
    assert logs["inspired.tsv"].labels == [
        {"conversation": "d1", "message": 1, "strategy": "encouragement", "second_strategy": "credibility"}
    ]
    assert logs["own.csv"].log["messages"][1]["recommendations"] == [
        "Paper Lanterns (2009)",
        "PS, I Wander (2001)",
    ]
    assert logs["own.csv"].labels[0] == {
        "conversation": "c1", "factor": "overall", "rater": "anna", "kind": "human", "score": 4.0, "system": "ours",
    }  # fmt: skip


def test_crsarena_says_which_system_spoke(read: Callable[..., Any]) -> None:
    (imported,), _, _ = read(CRSARENA)
    assert imported.log["system"] == "oldcrs_redial"
    assert {(label["factor"], label.get("turn")) for label in imported.labels} == {
        ("understanding", None), ("dialogue_overall", None), ("relevance", 1), ("interestingness", 1),
    }  # fmt: skip


def test_columns_have_other_names(tmp_path: Path) -> None:
    table = "session,speaker,saying\ns1,human,Hi\n"
    with pytest.raises(
        OptionError, match=r"says what; it has session, speaker, saying\. Say which they are: role=THEIRS"
    ):
        read_text(tmp_path, table, "csv")
    found = read_text(tmp_path, table, "csv", Wanted(fields={"content": "saying"}))
    assert found.one.log == {"id": "s1", "messages": [{"role": "user", "content": "Hi"}]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([{"role": "human", "content": "Hi"}], "Hi"),
        ({"conversations": [{"from": "human", "value": "Hi"}]}, "Hi"),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image_url"}]}
                ]
            },
            "Hi",
        ),
        ({"messages": [{"role": "user", "text": "Hi"}]}, "Hi"),
        ({"messages": [{"role": "user", "content": ""}]}, ""),
        ({"messages": [{"role": "user", "content": ["Hi"]}]}, "Hi"),
        ({"messages": [{"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}]}, "Hi"),
        # AI SDK 4 wrote both.
        ({"messages": [{"role": "user", "content": "", "parts": [{"type": "text", "text": "Hi"}]}]}, "Hi"),
    ],
)
def test_shapes_of_chats(tmp_path: Path, value: Any, said: str) -> None:
    found = read_values(tmp_path, value, value, source="chat")
    assert not found.faults
    assert [one.log["messages"][0]["content"] for one in found.made] == [said, said]


def test_one_bad_byte_loses_its_conversation_alone(tmp_path: Path) -> None:
    content = "conversation,role,content\nc1,user,caf\u00e9\nc2,user,caf".encode() + b"\xe9\nc3,user,Bye\n"
    found = read_text(tmp_path, content, "csv")
    assert [one.log["id"] for one in found.made] == ["c1", "c3"]
    assert [str(fault) for fault in found.faults] == [
        f"{tmp_path}/data:3: not UTF-8 at byte 3; 'c2' is left out"
    ]


def test_a_field_may_be_long(tmp_path: Path) -> None:
    found = read_text(tmp_path, f"conversation,role,content\nc1,user,{'x' * 200_000}\n", "csv")
    assert len(found.one.log["messages"][0]["content"]) == 200_000


def _chat(tmp_path: Path, *values: Any) -> tuple[list[Imported], list[Fault]]:
    found = read_values(tmp_path, *values, source="chat")
    return found.made, found.faults


def test_parts_that_nobody_saw_are_left_out_and_counted(tmp_path: Path) -> None:
    called = {"type": "tool-search", "toolCallId": "c1", "state": "output-available", "output": {"n": 3}}
    parts = [
        {"type": "step-start"},
        {"type": "reasoning", "text": "They want something quiet."},
        called,
        {"type": "text", "text": SAID[1][1], "state": "done"},
    ]
    (imported,), faults = _chat(
        tmp_path,
        {
            "id": "v",
            "title": "Films",
            "messages": [
                {
                    "id": "1",
                    "role": "user",
                    "parts": [{"type": "text", "text": SAID[0][1]}, {"type": "file"}],
                },
                {"id": "2", "role": "assistant", "parts": [{"type": "step-start"}, called]},
                {"id": "3", "role": "assistant", "parts": parts, "createdAt": "2026-01-01", "model": "m"},
                {"role": "assistant", "content": None, "tool_calls": [{"id": "c2"}]},
                {"role": "tool", "content": "{}"},
                {"id": "4", "role": "user", "parts": [{"type": "text", "text": SAID[2][1]}]},
            ],
        },
    )
    assert not faults
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
    ("message", "told"),
    [
        ({"role": "user", "body": "Hi"}, "message 0 has no content, text or parts (it has body)"),
        ({"role": "user", "parts": "Hi", "content": 3}, "a message's content is neither text nor parts"),
        ({"role": "user"}, "it has nothing else"),
    ],
)
def test_a_message_without_text_is_refused(tmp_path: Path, message: Any, told: str) -> None:
    imported, (fault,) = _chat(tmp_path, {"messages": [message]})
    assert not imported
    assert told in str(fault)


def test_system_may_be_the_recommender(tmp_path: Path) -> None:
    between = [{"role": {"user": "USER", "assistant": "SYSTEM"}[role], "text": text} for role, text in SAID]
    opening = {"role": "SYSTEM", "text": "Hello!"}
    turned = {"conversations": [{"from": m["role"], "value": m["text"]} for m in between]}
    imported, faults = _chat(tmp_path, {"messages": [opening, *between]}, turned)
    assert not faults
    assert [said_in(one) for one in imported] == [[("assistant", "Hello!"), *SAID], SAID]
    assert not any(one.left for one in imported)


def test_a_log_of_ours_comes_through_whole(tmp_path: Path) -> None:
    log = {
        "id": "a", "messages": [{"role": "user", "content": "Hi", "metadata": {"lang": "en"}}],
        "history": [{"role": "user", "content": "Yesterday"}], "metadata": {"note": "x"}, "complete": False,
    }  # fmt: skip
    (imported,), faults = _chat(tmp_path, log)
    assert not faults
    assert imported.log == log
    assert not imported.left


RELEASED = (
    "dialog_id\tutt_id\tspeaker\tturn_id\ttext\tmovies\texpert_label\tsecond_label\tfine_label\tcoarse_label\n"
    "d1\t0\tSEEKER\t0\tA quiet film, please\t\t\t\taccept_others\treject_new\n"
    "d1\t1\tRECOMMENDER\t1\tQUOTATION_MARKPaper LanternsQUOTATION_MARK?\tPaper Lanterns (2009)\tencouragement\tcredibility\taccept_others\treject_new\n"
)


def test_inspired_as_it_was_released(tmp_path: Path) -> None:
    imported = read_text(tmp_path, RELEASED).one
    assert imported.labels == [
        {"conversation": "d1", "message": 1, "strategy": "encouragement", "second_strategy": "credibility"}
    ]
    assert imported.log["outcome"] == {"accepted": True}
    assert imported.log["messages"][1]["content"] == '"Paper Lanterns"?'
    assert imported.log["messages"][1]["metadata"] == {"movies": "Paper Lanterns (2009)"}
    assert imported.log["metadata"] == {"coarse_label": "reject_new"}
    assert not imported.left


@pytest.mark.parametrize(
    ("profile", "user"),
    [
        ("You feel confused about the system. As a child, you may struggle.", ("confusion", "children")),
        (
            "You are curious about the films. As a teenager, you wonder with anticipation.",
            ("curiosity", "teens"),
        ),
        ("You are easily bored. As a senior, you find delight in better films.", ("boredom", "seniors")),
        (
            "You experience satisfaction with fitting films. As an adult, you like them.",
            ("satisfaction", "adults"),
        ),
        ("You are pleasantly surprised. Also, you are a Seniors person.", ("surprise", "seniors")),
        ("You like films.", (None, None)),
    ],
)
def test_concepts_profiles_tell_mood_and_age(
    tmp_path: Path, profile: str, user: tuple[str | None, str | None]
) -> None:
    dialog = {"context": [{"role": "user", "content": "Hello"}], "profile": [profile], "resp": "Some."}
    imported = read_values(tmp_path, {"dialog_id": 1, "template": ["x"], "simulator_dialog": dialog}).one
    told = imported.log.get("user", {})
    assert (told.get("persona"), told.get("age_group")) == user
    missing = [f"user.{field} that the profile does not tell" for field in ("persona", "age_group")]
    assert [name for name in missing if name in imported.left] == (missing if user == (None, None) else [])
    metadata = imported.log["metadata"]
    assert (metadata["template"], metadata["resp"], metadata["profile"]) == ('["x"]', "Some.", profile)


def test_numbers_without_a_title_are_counted(read: Callable[..., Any]) -> None:
    (imported,), _, _ = read(CONCEPT)
    assert imported.left["items of lists that --names does not know"] == 2
    (named,), _, _ = read(CONCEPT, Wanted(names=NAMES))
    assert not named.left
