"""Files as services write them: who says what in them, which parts come through, and what is counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.importing.imported import Imported
from tests.unit.importing.importing import SAID, parts_in, read, read_values, said_in

SAMPLES = Path(__file__).parent / "samples"
TENT = [("user", "A tent for two, not red"), ("assistant", "The Alpina 2 is green")]
WARM = [TENT[0], ("assistant", "The Alpina 2 is green & warm")]
GREETING = [("user", "Hi"), ("assistant", "Hello")]
APART, TOGETHER = [["tool_call"], ["tool_result"]], [["tool_call", "tool_result"]]


def sample(name: str) -> Imported:
    return read((SAMPLES / name).read_text(encoding="utf-8")).one


@pytest.mark.parametrize(
    ("name", "said", "left", "parts"),
    [
        ("chatgpt.json", TENT, {"messages of other branches": 1, "hidden messages": 1}, []),
        ("zendesk.json", TENT[:1], {"internal notes": 1}, []),
        ("intercom.json", WARM, {"notes": 1, "parts and source without text": 1}, []),
        ("dialogflow.json", [*TENT, ("user", "Price?"), ("assistant", "89 EUR")], {}, []),
        ("adk.json", TENT, {"file.eval_set_id": 1}, APART),
        ("autogen.json", TENT, {"thoughts and events": 1}, APART),
        ("mlflow.json", TENT, {"tools.context": 1}, TOGETHER),
        ("openai_batch.jsonl", GREETING, {}, []),
        ("otlp_spans.json", SAID[:2], {"steps inside": 1}, TOGETHER),
        ("otel_events.json", GREETING, {"messages by system": 1}, APART),
        ("otlp_logs.json", GREETING, {}, []),
        ("langgraph.json", SAID, {}, []),
    ],
)
def test_samples(
    name: str, said: list[tuple[str, str]], left: dict[str, int], parts: list[list[str]]
) -> None:
    one = sample(name)
    assert said_in(one) == said
    assert one.left == left
    assert [[part["type"] for part in each] for each in parts_in(one)] == parts


def test_ratings_are_labels_and_what_has_no_place_is_metadata() -> None:
    rated = sample("intercom.json")
    assert [(row["factor"], row["score"]) for row in rated.labels] == [("conversation_rating", 5.0)]
    assert "fine" in str(rated.log["metadata"])
    assert [row["kind"] for row in sample("mlflow.json").labels] == ["human", "judge"]
    assert "card" in json.dumps(sample("dialogflow.json").log["messages"][1]["metadata"])
    assert "Pat" in sample("zendesk.json").log["metadata"]["users"]


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [("chatgpt.json", {"current_node": "loop"}, ""), ("zendesk.json", {"users": None}, "include=users")],
)
def test_a_file_that_lacks_its_speakers_or_goes_round_is_refused(
    name: str, change: dict[str, Any], told: str
) -> None:
    whole = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
    refused = read_values({key: value for key, value in {**whole, **change}.items() if value is not None})
    assert not refused.made
    assert told in str(refused.faults[0])


def call(*said: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A call that is given all but the last, and answers that."""
    *given, last = [{"role": role, "content": text} for role, text in said]
    return {
        "request": {"model": "m", "messages": given},
        "response": {"choices": [{"message": last}]},
        **more,
    }


def test_calls_without_a_name_go_on_with_the_talk_that_they_are_given() -> None:
    other = [("user", "Hi"), ("assistant", "Hello"), ("user", "Bye"), ("assistant", "Bye!")]
    found = read_values(call(*SAID[:2]), call(*other[:2]), call(*SAID), call(*other))
    assert [said_in(one) for one in found.made] == [SAID, other]


def test_the_same_first_words_are_two_conversations() -> None:
    found = read_values(call(*SAID[:2]), call(*SAID[:2]), call(*SAID))
    assert sorted(len(one.log["messages"]) for one in found.made) == [2, 4]


def test_calls_of_a_name_are_one_conversation_though_each_is_given_what_is_new() -> None:
    found = read_values(*(call(*SAID[at : at + 2], session_id="s") for at in (0, 2)))
    assert said_in(found.one) == SAID
    assert found.one.log["id"] == "s"


def test_a_tracker_is_a_log_for_each_session() -> None:
    def session(at: int) -> list[dict[str, Any]]:
        said = [
            {"event": "user", "text": f"Hi {at}", "timestamp": at},
            {"event": "bot", "text": "Hello", "timestamp": at},
        ]
        return [{"event": "session_started", "timestamp": at}, *said]

    found = read_values({"sender_id": "u", "events": [*session(1), *session(2)]})
    assert [one.log["id"] for one in found.made] == ["u-1", "u-2"]
