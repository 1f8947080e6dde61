"""Files as services write them: who says what in them, which parts come through, and what is counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.importing.imported import Wanted
from tests.unit.importing.importing import SAID, parts_in, read, read_values, said_in

SAMPLES = Path(__file__).parent / "samples"
TENT = [("user", "A tent for two, not red"), ("assistant", "The Alpina 2 is green")]
WARM = [TENT[0], ("assistant", "The Alpina 2 is green & warm")]
GREETING = [("user", "Hi"), ("assistant", "Hello")]
APART, TOGETHER = [["tool_call"], ["tool_result"]], [["tool_call", "tool_result"]]


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
    one = read((SAMPLES / name).read_text(encoding="utf-8")).one
    assert said_in(one) == said
    assert one.left == left
    assert [[part["type"] for part in each] for each in parts_in(one)] == parts


@pytest.mark.parametrize(
    ("name", "change", "detail"),
    [("chatgpt.json", {"current_node": "loop"}, ""), ("zendesk.json", {"users": None}, "include=users")],
)
def test_a_file_that_lacks_its_speakers_or_goes_round_is_refused(
    name: str, change: dict[str, Any], detail: str
) -> None:
    whole = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
    kept = {key: value for key, value in {**whole, **change}.items() if value is not None}
    assert detail in read_values(kept).refusal


def call(*said: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A call that is given all but the last, and answers that."""
    *given, last = [{"role": role, "content": text} for role, text in said]
    return {
        "request": {"model": "m", "messages": given},
        "response": {"choices": [{"message": last}]},
        **more,
    }


def test_the_same_first_words_are_two_conversations() -> None:
    found = read_values(call(*SAID[:2]), call(*SAID[:2]), call(*SAID))
    assert sorted(len(one.log["messages"]) for one in found.made) == [2, 4]


def test_a_tracker_is_a_log_for_each_session() -> None:
    def session(at: int) -> list[dict[str, Any]]:
        said = [
            {"event": "user", "text": f"Hi {at}", "timestamp": at},
            {"event": "bot", "text": "Hello", "timestamp": at},
        ]
        return [{"event": "session_started", "timestamp": at}, *said]

    found = read_values({"sender_id": "u", "events": [*session(1), *session(2)]})
    assert [one.log["id"] for one in found.made] == ["u-1", "u-2"]


@pytest.mark.parametrize(
    "value",
    [
        {"results": [{"id": "r1", "prompt": {"raw": "Sell tents."}, "vars": {"who": "Ines"}, "response": {
            "output": f"User: {TENT[0][1]}\n---\nAssistant: {TENT[1][1]}",
            "metadata": {"messages": [{"role": role, "content": text} for role, text in TENT]}}}]},
        {"messages": [{"source": source, "content": text, "type": "TextMessage"}
                      for source, (_, text) in zip(("user_proxy", "shop"), TENT, strict=True)]},
        {"messages": [{"id": "1", "conversationId": "c", "direction": "incoming", "type": "text", "payload": {"text": TENT[0][1]}},
                      {"id": "2", "conversationId": "c", "direction": "outgoing", "type": "bloc", "payload": {"items": [
                          {"type": "image", "payload": {"imageUrl": "https://x"}}, {"type": "text", "payload": {"text": TENT[1][1]}}]}}]},
        {"comments": [{"author_id": 1, "body": TENT[0][1]}, {"author_id": 2, "body": TENT[1][1]}, {"author_id": -1, "body": "Closed"}],
         "users": [{"id": 1, "role": "end-user"}, {"id": 2, "role": "agent"}]},
        {"prompt": f"Human: {TENT[0][1]}\nAI:", "response": TENT[1][1]},
        {"instruction": TENT[0][1], "input": "", "output": TENT[1][1]},
        {"prompt": TENT[0][1], "response": f"<think>The\nAlpina</think>\n\n{TENT[1][1]}"},
    ],
)  # fmt: skip
def test_what_one_says_is_nobody_elses(value: Any) -> None:
    assert said_in(read_values(value).one) == TENT


def test_of_two_answers_to_one_message_nobody_knows_which_was_shown() -> None:
    said = [{"id": at, "parent_id": parent, "role": role, "text": "Hi"}
            for at, parent, role in ((1, None, "user"), (2, 1, "assistant"), (3, 1, "assistant"))]  # fmt: skip
    refused = read_values({"messages": said})
    assert "parent_id" in refused.refusal
    assert read_values({"messages": [{**one, "parent_id": "t9"} for one in said]}).made


def test_labels_of_parlai_are_parted_and_their_signs_are_put_back() -> None:
    one = read("text:A lamp\\nfor me\tlabels:Orla__PIPE__Mira|None\tepisode_done:True\n").one
    assert said_in(one) == [("user", "A lamp\nfor me"), ("assistant", "Orla|Mira")]
    assert one.log["messages"][1]["metadata"]["other labels"] == "None"


def test_a_field_that_tells_messages_from_others_is_kept() -> None:
    card = {"title": "Orla", "imageUrl": "https://x"}
    message = {
        "id": "1",
        "conversationId": "c",
        "direction": "outgoing",
        "type": "carousel",
        "payload": {"items": [card]},
    }
    assert "https://x" in str(read_values(message).one.log)


def test_a_prompt_with_the_talk_so_far_is_several_messages() -> None:
    prompt = "".join(f"{ {'user': 'Human', 'assistant': 'AI'}[role] }: {text}\n" for role, text in SAID[:3])
    run = {
        "id": "r",
        "run_type": "llm",
        "inputs": {"prompts": [prompt]},
        "outputs": {"generations": [[{"text": SAID[3][1]}]]},
    }
    assert said_in(read_values(run).one) == SAID
    quoted = "User: It was bad\nInes: I see, that is bad\nBot: Hi\nInes: Well, then"
    assert said_in(read_values({**run, "inputs": {"input": quoted}}).one)[0] == ("user", quoted)
    unread = read_values({**run, "inputs": {"page": 3}}).one
    assert unread.left == {"inputs without a message": 1}


CALL = {"name": "find", "id": "c7", "arguments": {"kind": "lamp"}}


def _bedrock(status: str, *blocks: dict[str, Any]) -> list[dict[str, Any]]:
    use = {"toolUseId": "c7", "name": "find", "input": CALL["arguments"]}
    return [
        {"role": "user", "content": [{"text": "A lamp?"}]},
        {"role": "assistant", "content": [{"toolUse": use}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c7", "status": status, "content": [*blocks]}}]},
        {"role": "assistant", "content": [{"text": "The Orla."}, {"cachePoint": {"type": "default"}}]},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "blocks", "content"),
    [
        ("success", [{"json": {"title": "Orla"}}], {"title": "Orla"}),
        ("success", [{"json": 1}, {"json": 2}], [1, 2]),
        ("error", [{"text": "timed"}, {"text": "out"}], "timed\nout"),
    ],
)
def test_calls_of_bedrock_are_kept(status: str, blocks: list[Any], content: Any) -> None:
    one = read_values({"messages": _bedrock(status, *blocks)}).one
    [[call], [result]] = parts_in(one)
    assert {name: call[name] for name in ("name", "id")} == {"name": "find", "id": "c7"}
    assert json.loads(call["arguments"]) == CALL["arguments"]
    assert (result["call"], result.get("error", False)) == ("c7", status == "error")
    assert (json.loads(result["content"]) if status == "success" else result["content"]) == content
    assert [message["role"] for message in one.log["messages"]] == ["user", "assistant", "tool", "assistant"]


def test_a_part_of_a_tool_that_nobody_knows_refuses_its_conversation() -> None:
    said = [{"role": "user", "content": "A lamp?"}]
    odd = [{"role": "assistant", "content": [{"text": "The Orla."}, {"toolOdyssey": {"x": 1}}]}]
    found = read_values({"messages": said + odd}, {"messages": said})
    assert [len(one.log["messages"]) for one in found.made] == [1]
    assert len(found.faults) == 1


def test_a_restart_of_rasa_begins_a_conversation() -> None:
    events = [
        {"event": "user", "text": "A lamp?"}, {"event": "bot", "text": "The Orla."},
        {"event": "user", "text": "/restart"}, {"event": "action", "name": "action_restart"}, {"event": "bot", "text": "Anew."},
        {"event": "restart"}, {"event": "user", "text": "A chair?"}, {"event": "bot", "text": "The Mira."},
        {"event": "user", "text": "/restart"}, {"event": "restart"},
    ]  # fmt: skip
    found = read_values({"sender_id": "u", "events": events})
    assert [said_in(one) for one in found.made] == [
        [("user", "A lamp?"), ("assistant", "The Orla."), ("assistant", "Anew.")],
        [("user", "A chair?"), ("assistant", "The Mira.")],
    ]
    assert len({one.log["id"] for one in found.made}) == 2


def test_a_payload_of_rasa_becomes_what_the_button_said() -> None:
    buttons = [{"title": "Thai food", "payload": '/inform{"cuisine": "thai"}'}]
    asked = [
        "/greet",
        buttons[0]["payload"],
        '/inform{"cuisine": "thai", "price": 20}',
        "/not_that",
        "/a{b c",
    ]
    events: list[dict[str, Any]] = [{"event": "user", "text": text} for text in asked]
    events.insert(1, {"event": "bot", "text": "What would you like?", "data": {"buttons": buttons}})
    one = read_values({"sender_id": "u", "events": events}).one
    assert [text for _, text in said_in(one)][1:] == ["Thai food", "thai, 20", "not that", "/a{b c"]
    assert one.log["messages"][1]["metadata"]["payload"] == asked[1]
    assert one.left["messages /greet"] == 1


@pytest.mark.parametrize(
    "rows",
    [
        'c1,user,"A lamp?\nc1,bot,Orla\nc2,user,Hi\nc2,bot,Ho\n',
        'c1,user,"A lamp?\nc1,bot,"Orla"\nc2,user,Hi\nc2,bot,Ho\n',
        'c1,user,Hi\nc1,bot,"The "bright" one"\nc2,user,Hi\nc2,bot,Ho\n',
    ],
)
def test_a_quote_that_is_not_closed_swallows_no_row(rows: str) -> None:
    found = read("conversation,role,content\n" + rows)
    assert not found.made
    assert len(found.faults) == 1
    assert "line" in str(found.faults[0])


@pytest.mark.parametrize("name", [["a"], {"a": 1, "b": 2}, True])
def test_ids_that_are_no_names_merge_no_conversations(name: Any) -> None:
    rows = [{"conversation_id": name, "role": role, "content": "Hi"} for role in ("user", "assistant")]
    found = read_values(*rows, *rows)
    assert not found.made
    assert len(found.faults) == 4


@pytest.mark.parametrize(("given", "name"), [(7.0, "7"), (7.5, "7.5"), ({"$oid": "6f"}, "6f")])
def test_ids_of_other_types_are_kept(given: Any, name: str) -> None:
    message = {"role": "user", "content": "Hi"}
    chat = read_values({"id": given, "messages": [message]}).one.log
    row = read_values({"conversation_id": given, **message}).one.log
    assert (chat["id"], row["id"]) == (name, name)
    assert "metadata" not in chat


@pytest.mark.parametrize("at", ["conversation", "message"])
def test_mapped_labels_are_labels_in_a_chat(at: str) -> None:
    stars = {"stars": 3}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Ho", **(stars if at == "message" else {})},
    ]
    value = {"id": "a", "messages": messages, **(stars if at == "conversation" else {})}
    one = read_values(value, wanted=Wanted(fields={"label:overall": "stars"})).one
    [label] = one.labels
    turn = 1 if at == "message" else None
    assert (label["factor"], label["score"], label.get("turn")) == ("overall", 3, turn)
    assert "label:overall" not in json.dumps(one.log)


def _node(id_: str, parent: str | None, role: str, content: Any, **fields: Any) -> dict[str, Any]:
    """A node of ChatGPT's export."""
    message = {"id": id_, "author": {"role": role}, "content": content, "recipient": "all", **fields}
    return {id_: {"id": id_, "parent": parent, "message": message}}


def _part(**fields: Any) -> dict[str, Any]:
    """A part as Google's client writes it, with every field."""
    return {"text": None, "thought": None, "function_call": None, "function_response": None, **fields}


CHATGPT = {
    "current_node": "e",
    "mapping": {
        **_node("a", None, "user", {"content_type": "text", "parts": [TENT[0][1]]}),
        **_node("b", "a", "assistant", {"content_type": "thoughts", "thoughts": [{"content": "A tent?"}]}),
        **_node("c", "b", "assistant", {"content_type": "code", "text": "search('tent')"}, recipient="web"),
        **_node("d", "c", "tool", {"content_type": "tether_browsing_display", "result": "Alpina"}),
        **_node("e", "d", "assistant", {"content_type": "text", "parts": [TENT[1][1]]}),
    },
}
ADK = {
    "eval_cases": [
        {
            "conversation": [
                {
                    "user_content": {"parts": [_part(text=TENT[0][1])]},
                    "final_response": {"parts": [_part(text="Hm", thought=True), _part(text=TENT[1][1])]},
                    "intermediate_data": {
                        "invocation_events": [
                            {"content": {"parts": [_part(function_call={"id": "c", "name": "find"})]}},
                            {"content": {"parts": [_part(function_response={"id": "c", "response": {}})]}},
                        ]
                    },
                }
            ]
        }
    ]
}
GEMINI = {
    "contents": [
        {"role": "user", "parts": [_part(text=TENT[0][1])]},
        {"role": "model", "parts": [_part(function_call={"id": "c", "name": "find"})]},
        {"role": "user", "parts": [_part(function_response={"id": "c", "response": {"items": []}})]},
        {"role": "model", "parts": [_part(text="Hm", thought=True), _part(text=TENT[1][1])]},
    ],
    "systemInstruction": {"parts": [{"text": "Sell."}]},
}
ASKED = {"messages": [{"role": "user", "content": [{"text": TENT[0][1]}]}]}
STREAMED = [
    {"type": "content_block_delta", "delta": {"text": text}} for text in ("The Alpina 2", " is green")
]
TRACE = {"id": "t", "thread_id": "s", "start_time": "2026-03-01T10:00:00Z", "feedback_scores": []}


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (CHATGPT, APART),
        (ADK, APART),
        (GEMINI, APART),
        ({"request": ASKED, "response": {"output": {"message": {"role": "assistant", "content": [{"text": TENT[1][1]}]}}}}, []),
        ({"schemaType": "ModelInvocationLog", "input": {"inputBodyJson": ASKED}, "output": {"outputBodyJson": STREAMED}}, []),
        ({"page": 1, "content": [{**TRACE, "input": ASKED, "output": {"answer": TENT[1][1]}}]}, []),
        ({"id": "t", "timestamp": "2026-03-01T10:00:00Z", "sessionId": "s", "input": TENT[0][1], "output": None,
          "observations": [{"id": "o", "type": "GENERATION", "input": TENT[0][1], "output": TENT[1][1]}]}, []),
        ({"messages": [{"role": "user", "content": TENT[0][1]},
                       {"role": "assistant", "content": None, "audio": {"transcript": TENT[1][1]}}]}, []),
        ({"transcript": {"sessionID": "s", "logs": [
            {"type": "action", "data": {"type": "launch"}},
            {"type": "action", "data": {"type": "text", "payload": TENT[0][1]}},
            {"type": "trace", "data": {"type": "debug", "payload": {"message": "intent none"}}},
            {"type": "trace", "data": {"type": "text", "payload": {"message": TENT[1][1]}}}]}}, []),
        ({"meta": {}, "payload": [
            {"content": TENT[0][1], "message_type": 0, "content_type": "text", "private": False, "sender": {"type": "contact"}},
            {"content": "Too dear?", "message_type": 1, "content_type": "text", "private": True, "sender": {"type": "user"}},
            {"content": "Ben joined", "message_type": 2, "content_type": "text", "private": False},
            {"content": TENT[1][1], "message_type": 1, "content_type": "text", "private": False, "sender": {"type": "user"}}]}, []),
        ({"messages": [], "turns": [{"role": role, "content": text} for role, text in TENT]}, []),
        ({"ContactId": "c", "Transcript": [
            {"Id": "1", "ParticipantId": "p", "ParticipantRole": "CUSTOMER", "Content": TENT[0][1], "Type": "MESSAGE"},
            {"Id": "2", "ParticipantId": "q", "ParticipantRole": "AGENT", "Attachments": [{}], "Type": "ATTACHMENT"},
            {"Id": "3", "ParticipantId": "q", "ParticipantRole": "AGENT", "Content": TENT[1][1], "Type": "MESSAGE"}]}, []),
        ({"source": {"body": f"<p>{TENT[0][1]}</p>", "author": {"type": "user"}}, "conversation_parts": {"conversation_parts": [
            {"body": "<p></p>", "redacted": True, "author": {"type": "user"}},
            {"body": TENT[1][1], "author": {"type": "bot"}}]}}, []),
    ],
)  # fmt: skip
def test_thoughts_calls_and_what_was_deleted_are_not_said(value: Any, parts: list[list[str]]) -> None:
    one = read_values(value).one
    assert said_in(one) == TENT
    assert [[part["type"] for part in each] for each in parts_in(one)] == parts


PAIR = [{"role": role, "content": text} for role, text in TENT]


def _span(number: int) -> dict[str, Any]:
    inputs, outputs = {"messages": PAIR[:1]}, {"choices": [{"message": PAIR[1]}]}
    attributes = {"mlflow.spanInputs": json.dumps(inputs), "mlflow.spanOutputs": json.dumps(outputs)}
    return {"name": "chat", "span_id": f"s{number}", "start_time_unix_nano": 1772359200000000000 + number, "attributes": attributes}  # fmt: skip


FRAME: dict[str, Any] = {"trace_id": "tr-1", "trace": "{}", "state": "OK", "request_time": 1772359200000, "request": {"messages": PAIR[:1]}, "response": {"choices": [{"message": PAIR[1]}]}, "trace_metadata": {"mlflow.trace.session": "s1"}, "spans": [_span(1)], "assessments": []}  # fmt: skip


def _cells(row: dict[str, Any]) -> str:
    """A row as pandas writes it: objects as Python prints them."""
    values = (value if isinstance(value, str) else repr(value) for value in row.values())
    return f"{','.join(row)}\n" + ",".join('"' + value.replace('"', '""') + '"' for value in values) + "\n"


@pytest.mark.parametrize("dropped", [set(), {"spans"}, {"request", "response"}])
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("as_table", [False, True])
def test_a_data_frame_of_traces_is_read(dropped: set[str], old: bool, as_table: bool) -> None:
    names = {"trace_id": "request_id", "trace_metadata": "request_metadata", "request_time": "timestamp_ms"}
    row = {
        names.get(name, name) if old else name: value for name, value in FRAME.items() if name not in dropped
    }
    one = read(_cells(row) if as_table else json.dumps(row)).one
    assert (one.log["id"], said_in(one)) == ("s1", TENT)


TURN = {"userInput": {"input": {"text": {"text": TENT[0][1]}}}, "virtualAgentOutput": {"textResponses": [{"text": [TENT[1][1]]}]}}  # fmt: skip
EVENT = {"userInput": {"input": {"event": {"event": "WELCOME"}}}, "virtualAgentOutput": {"textResponses": [{"text": ["Hi"]}]}}  # fmt: skip
CASE = {"name": "t1", "displayName": "tents", "testCaseConversationTurns": [EVENT, TURN]}
ACTIVITY = {"header": "Gemini Apps", "title": f"Prompted {TENT[0][1]}", "time": "2026-03-01T10:00:00Z", "products": ["Gemini Apps"], "safeHtmlItem": [{"html": f"<p>{TENT[1][1]}</p>"}]}  # fmt: skip
PAGE = f'<html><body><div class="outer-cell mdl-cell"><p class="mdl-typography--title">Gemini Apps<br></p><div class="content-cell mdl-typography--body-1">Prompted&nbsp;{TENT[0][1]}<br>Mar 1, 2026, 10:00:00 AM UTC<br><p>{TENT[1][1]}</p></div><div class="content-cell"></div></div></body></html>'  # fmt: skip
BRANCH = {"a": {"parent": None, "children": ["b"]}, "b": {"parent": "a", "children": ["c"], "message": {"author": {"role": "user"}, "content": {"parts": [TENT[0][1]]}}}, "c": {"parent": "b", "children": [], "message": {"author": {"role": "assistant"}, "content": {"parts": [TENT[1][1]]}}}}  # fmt: skip
BODY = {"input": {"messages": [{"role": "user", "content": {"content": json.dumps([{"text": TENT[0][1]}])}}]}, "output": {"messages": [{"role": "assistant", "content": {"message": TENT[1][1], "finish_reason": "end_turn"}}]}}  # fmt: skip
PICKED = {"templateType": "ListPicker", "data": {"content": {"title": "Which?", "elements": [{"title": "Alpina"}, {"title": "Mira"}]}}}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (json.dumps({"testCases": [CASE]}), [("assistant", "Hi"), *TENT]),
        (json.dumps([CASE]), [("assistant", "Hi"), *TENT]),
        (json.dumps([ACTIVITY, {**ACTIVITY, "title": "Used Gemini Apps", "safeHtmlItem": []}]), TENT),
        (PAGE, TENT),
        (json.dumps({"title": "x", "mapping": BRANCH}), TENT),
        (json.dumps({"evalCases": [{"evalId": "a", "conversation": [{"userContent": {"parts": [{"text": TENT[0][1]}]}, "finalResponse": {"parts": [{"text": TENT[1][1]}]}}]}]}), TENT),
        (json.dumps({"chat_history": [{"role": "assistant", "name": "user_proxy", "content": TENT[0][1]}, {"role": "user", "name": "shop", "content": TENT[1][1]}], "cost": {}}), TENT),
        (json.dumps({"traceId": "t", "spanId": "s", "timeUnixNano": 1772359200000000000, "attributes": {"session.id": "s1"}, "body": BODY}), TENT),
        (json.dumps({"name": "chat", "context": {"trace_id": "t", "span_id": "a"}, "attributes": {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": TENT[0][1], "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": TENT[1][1]}}), TENT),
        (json.dumps({"schemaType": "ModelInvocationLog", "requestId": "r", "input": {"inputBodyJson": {"inputText": TENT[0][1]}}, "output": {"outputBodyJson": {"results": [{"outputText": TENT[1][1]}]}}}), TENT),
        (json.dumps({"Transcript": [{"Id": "1", "ParticipantId": "p", "ParticipantRole": "SYSTEM", "Content": json.dumps(PICKED)}]}), [("assistant", "Which?\nAlpina\nMira")]),
        ("input,actual_output\n" + ",".join(f'"{text}"' for _, text in TENT) + "\n", TENT),
        ('id,start_time,input,output,thread_id\n1,2026-03-01T10:00:00Z,"{""question"": ""' + TENT[0][1] + '""}","{""answer"": ""' + TENT[1][1] + '""}",t\n', TENT),
        (json.dumps({"inputs": {"messages": PAIR[:1]}, "outputs": {"messages": PAIR}}), TENT),
        (json.dumps({"id": 1, "turns": [{"user": {"text": TENT[0][1]}, "assistant": {"text": TENT[1][1]}}]}), TENT),
        (json.dumps({"messages": [{"sid": "1", "author": "+4917", "body": TENT[0][1]}, {"sid": "2", "author": "system", "body": TENT[1][1]}]}), TENT),
        (json.dumps({"messages": [{"type": "chat.join", "nick": "v"}, *PAIR]}), TENT),
        (json.dumps({"messages": [*PAIR, {"role": "user", "photos": ["p.png"]}]}), [*TENT, ("user", "")]),
    ],
)  # fmt: skip
def test_near_relatives_of_formats_are_read(content: str, said: list[tuple[str, str]]) -> None:
    assert said_in(read(content).one) == said


def test_a_row_that_repeats_the_talk_before_it_adds_what_is_new() -> None:
    rows = [{"session_id": "s", "prompt": PAIR[:1], "answer": TENT[1][1]}, {"session_id": "s", "prompt": [*PAIR, {"role": "user", "content": "Price?"}], "answer": "89 EUR"}]  # fmt: skip
    assert said_in(read_values(*rows).one) == [*TENT, ("user", "Price?"), ("assistant", "89 EUR")]


UNREAD = {"prompt": {"raw": "A tent?"}, "vars": {}}


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ({"messages": [{"role": "user", "name": name, "content": "Hi"} for name in ("Ann", "ShopBot")]}, "--map role=name"),
        ({"messages": [{**PAIR[0], "children": [PAIR[1]]}]}, "message 0 has other messages in children"),
        ({"messages": [{"role": role, "content": {"words": text}} for role, text in TENT]}, "--map content=content.words"),
        ({"id": 1, "data": ["A lamp?", "The Orla"]}, "its fields are id, data"),
        ({"results": [{**UNREAD, "response": {"output": {"item": "Alpina 2"}}}]}, "contains no readable message"),
        ({"results": [{**UNREAD, "response": {"output": [{"type": "function", "id": "c1"}]}}]}, "contains no readable message"),
        ({"request": {"contents": GEMINI["contents"]}, "response": {"candidates": []}}, ""),
    ],
)  # fmt: skip
def test_what_would_be_half_read_is_refused(value: Any, detail: str) -> None:
    assert detail in read_values(value).refusal
