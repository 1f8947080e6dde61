"""Calls of a model and traces as conversations: brought together, each message once."""

import json
from typing import Any

from tests.unit.importing.importing import SAID, parts_in, read_values, said_in


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


def test_the_batch_apis_lines_find_each_other() -> None:
    request = {
        "custom_id": "r1",
        "method": "POST",
        "body": {"model": "m", "messages": [{"role": "user", "content": "Hi"}]},
    }
    body = {
        "id": "chatcmpl-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}}],
    }
    response = {"custom_id": "r1", "response": {"status_code": 200, "body": body}}
    assert said_in(read_values(request, response).one) == [("user", "Hi"), ("assistant", "Hello")]


def test_choices_that_were_not_shown_are_counted() -> None:
    value = call(*SAID[:2])
    value["response"]["choices"] *= 3
    assert read_values(value).one.left["choices beside the first"] == 2


def span(name: str, trace: str, at: int, parent: str | None = None, **attributes: Any) -> dict[str, Any]:
    listed = [
        {"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in attributes.items()
    ]
    return {
        "traceId": trace, "spanId": name, "parentSpanId": parent or "", "name": name, "startTimeUnixNano": str(1772359200_000000000 + at),
        "attributes": listed,
    }  # fmt: skip


def messages(*said: tuple[str, str]) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in said])


def test_the_outermost_span_that_speaks_is_what_the_user_saw() -> None:
    spans = [
        span("agent", "t1", 0, gen_ai__input__messages=messages(SAID[0]), gen_ai__output__messages=messages(SAID[1])),
        span("rewrite", "t1", 1, "agent", gen_ai__input__messages=messages(("user", "Rewrite")), gen_ai__output__messages=messages(("assistant", "Done"))),
        span("tool", "t1", 2, "agent", gen_ai__tool__name="search", gen_ai__tool__call__id="c1", gen_ai__tool__call__result="[]",
             gen_ai__operation__name="execute_tool"),
    ]  # fmt: skip
    one = read_values({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).one
    assert said_in(one) == SAID[:2]
    assert [part["type"] for part in parts_in(one)[0]] == ["tool_call", "tool_result"]
    assert one.left["steps inside"] == 1


def test_events_of_earlier_conventions() -> None:
    def event(at: int, name: str, **body: Any) -> dict[str, Any]:
        return {"name": name, "timestamp": f"2026-03-01T10:00:0{at}Z", "attributes": body}

    events = [
        event(0, "gen_ai.system.message", content="Be kind."),
        event(1, "gen_ai.user.message", content="Hi"),
        event(
            2,
            "gen_ai.assistant.message",
            tool_calls=[{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        ),
        event(3, "gen_ai.tool.message", id="c1", content="ok"),
        event(4, "gen_ai.choice", index=0, finish_reason="stop", message={"content": "Hello"}),
    ]
    value = {
        "name": "chat",
        "context": {"trace_id": "t", "span_id": "s"},
        "attributes": {"gen_ai.system": "openai"},
        "events": events,
    }
    one = read_values(value).one
    assert said_in(one) == [("user", "Hi"), ("assistant", "Hello")]
    assert [[part["type"] for part in parts] for parts in parts_in(one)] == [["tool_call"], ["tool_result"]]
    assert one.left == {"messages by system": 1}


def test_log_records_of_a_span_are_its_events() -> None:
    def record(at: int, name: str, body: dict[str, str]) -> dict[str, Any]:
        values = [{"key": key, "value": {"stringValue": text}} for key, text in body.items()]
        return {
            "timeUnixNano": str(1772359200_000000000 + at), "traceId": "t", "spanId": "s", "eventName": name,
            "body": {"kvlistValue": {"values": values}},
        }  # fmt: skip

    records = [
        record(0, "gen_ai.user.message", {"content": "Hi"}),
        record(1, "gen_ai.choice", {"content": "Hello", "index": "0"}),
    ]
    found = read_values({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})
    assert said_in(found.one) == [("user", "Hi"), ("assistant", "Hello")]


def test_a_graphs_state_is_told_once() -> None:
    state = [{"type": "human" if role == "user" else "ai", "content": text} for role, text in SAID]
    run = {
        "id": "r",
        "run_type": "chain",
        "start_time": "2026-03-01T10:00:00",
        "inputs": {"messages": state[:3]},
        "outputs": {"messages": state},
    }
    assert said_in(read_values(run).one) == SAID


def test_a_tracker_is_a_log_for_each_session() -> None:
    def session(at: int) -> list[dict[str, Any]]:
        said = [
            {"event": "user", "text": f"Hi {at}", "timestamp": at},
            {"event": "bot", "text": "Hello", "timestamp": at},
        ]
        return [{"event": "session_started", "timestamp": at}, *said]

    found = read_values({"sender_id": "u", "events": [*session(1), *session(2)]})
    assert [one.log["id"] for one in found.made] == ["u-1", "u-2"]
