"""Messages that callers may send: the contract's form, and messages as OpenAI's and Anthropic's APIs write
them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from service.domain.conversation import Message, Role
from service.domain.parts import Card, ItemLayout, ItemsPart, TextPart, ToolCall, ToolResult
from service.errors import InvalidRequest
from service.usecases.parsing import checked
from service.usecases.wire.chat_messages import _SILENT as OF_THE_SERVICE
from service.usecases.wire.chat_messages import as_contract
from service.usecases.wire.log import Log
from service.usecases.wire.simulate import wire_message


def read(*messages: dict[str, Any]) -> list[Message]:
    return list(Log.model_validate_json(json.dumps({"messages": messages})).value().messages)


def test_a_list_given_as_content_is_read_as_parts() -> None:
    items = {"type": "items", "layout": "carousel", "items": ["A", {"id": "x", "price": 3, "stock": 2.0}]}
    (made,) = read({"role": "assistant", "content": [{"type": "text", "text": "Hi"}, items]})
    assert (made.content, made.recommendations) == ("Hi", ("A", "x"))
    assert made.parts[0] == TextPart("Hi")
    assert isinstance(shown := made.parts[1], ItemsPart)
    assert (shown.layout, shown.cards[0]) == (ItemLayout.CAROUSEL, Card("A"))
    assert (item := shown.cards[1].item) is not None
    assert (item.price, item.stock) == (3.0, 2)


def test_openai_calls_of_tools_are_read() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}
    made = read(
        {"role": "assistant", "content": None, "tool_calls": [call], "refusal": None, "annotations": []},
        {"role": "tool", "tool_call_id": "c1", "name": "search", "content": "[]"},
        {"role": "assistant", "content": None, "refusal": "I cannot."},
    )
    assert made[0].parts == (ToolCall("search", '{"q": 1}', "c1"),)
    assert (made[1].role, made[1].parts) == (Role.TOOL, (ToolResult("[]", "c1", "search"),))
    assert made[2].content == "I cannot."


def test_anthropic_blocks_are_read() -> None:
    answer = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [{"type": "text", "text": "no such city"}],
        "is_error": True,
    }
    use = {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Lisbon"}}
    made = read(
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, use]},
        {"role": "user", "content": [answer]},
    )
    assert made[0].parts == (ToolCall("weather", '{"city": "Lisbon"}', "t1"),)
    assert (made[1].role, made[1].parts) == (Role.TOOL, (ToolResult("no such city", "t1", error=True),))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"content": "", "recommendations": ["A"], "parts": [{"type": "items", "items": ["B"]}]}, "differ"),
        ({"content": "x", "parts": [{"type": "text", "text": "y"}]}, "differ"),
        ({}, "Field required"),
        ({"content": "x", "parts": [{"type": "items", "text": "A"}]}, "needs `items`"),
        ({"content": "x", "parts": [{"type": "text", "text": "x", "alt": "A"}]}, "has no `alt`"),
        (
            {"content": "x", "parts": [{"type": "items", "items": [{"price": 3}]}]},
            "needs an `id` or a `title`",
        ),
        ({"content": "x", "parts": "no list"}, "list"),
        ({"content": "x", "replies": 3}, "replies"),
    ],
)
def test_what_cannot_be_meant_is_an_error(message: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValidationError, match=expected):
        read({"role": "assistant", **message})


def test_parts_come_back_as_they_were_sent() -> None:
    parts = [
        {"type": "text", "text": "Hi"},
        {"type": "items", "layout": "grid", "items": [{"id": "x", "title": "X", "rating": 4.5}, "Y"]},
        {"type": "tool_call", "name": "search", "arguments": "{}"},
        {"type": "tool_result", "call": "c", "content": "x", "error": True},
        {"type": "image", "alt": "A shell"},
    ]
    (made,) = read({"role": "assistant", "content": "Hi", "parts": parts})
    again = wire_message(made).model_dump(exclude_none=True, mode="json")
    assert read(again) == [made]


def fix_for(role: object) -> str:
    with pytest.raises(InvalidRequest) as refused:
        checked(Log, {"messages": [{"role": "user", "content": "Hi"}, {"role": role, "content": "Hello"}]})
    (error,) = refused.value.errors
    assert error.pointer == "/messages/1/role"
    return error.fix


@pytest.mark.parametrize(
    ("role", "meant"),
    [
        ("bot", "assistant"), ("AI", "assistant"), ("agent", "assistant"), ("Recommender", "assistant"),
        ("customer", "user"), ("Human", "user"), ("Assistant", "assistant"),
    ],
)  # fmt: skip
def test_the_role_that_is_meant_is_named_alone(role: str, meant: str) -> None:
    fix = fix_for(role)
    assert [name for name in ("user", "assistant", "tool") if f"'{name}'" in fix] == [meant]


def test_a_recommender_is_no_system() -> None:
    talk = [{"role": "user", "content": "Hi"}, {"role": "system", "content": "Hello, what do you like?"}]
    with pytest.raises(InvalidRequest) as refused:
        checked(Log, {"messages": talk})
    assert "'assistant'" in refused.value.errors[0].fix
    instruction = {"role": "system", "content": "Be brief."}
    checked(Log, {"messages": [instruction, talk[0]]})
    checked(Log, {"messages": [talk[0], instruction, {"role": "assistant", "content": "Hello"}]})


@pytest.mark.parametrize("role", ["moderator", "", 3, None])
def test_other_names_get_all_roles(role: object) -> None:
    assert all(f"'{name}'" in fix_for(role) for name in ("user", "assistant", "tool"))


PAGE = Path(__file__).parents[3] / "clients" / "page" / "src" / "reading" / "parts.ts"


def test_page_and_service_drop_the_same_fields() -> None:
    found = re.search(r"^const SILENT = \[(.*?)\];", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    assert sorted(re.findall(r'"(\w+)"', found[1])) == sorted(OF_THE_SERVICE)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("It costs 109 euros", "It costs 109 euros"),
        (
            [{"type": "text", "text": "It costs"}, {"type": "text", "text": "109 euros"}],
            "It costs\n109 euros",
        ),
        ({"price": 109}, '{"price": 109}'),
        ([{"title": "Kärr"}], '[{"title": "Kärr"}]'),
    ],
)
def test_what_a_tool_answers_is_read_in_every_form(content: Any, expected: str) -> None:
    read = as_contract({"role": "tool", "tool_call_id": "c1", "content": content})
    assert read["parts"] == [{"type": "tool_result", "call": "c1", "content": expected}]
