"""The page reads messages of other APIs as the service does: both leave out the same fields."""

import re
from pathlib import Path
from typing import Any

import pytest

from service.api.wire.chat_messages import _SILENT as OF_THE_SERVICE
from service.api.wire.chat_messages import as_contract

PAGE = Path(__file__).parents[3] / "clients" / "page" / "src" / "reading" / "parts.ts"


def test_page_and_service_drop_the_same_fields() -> None:
    found = re.search(r"^const SILENT = \[(.*?)\];", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    assert sorted(re.findall(r'"(\w+)"', found[1])) == sorted(OF_THE_SERVICE)


@pytest.mark.parametrize(
    ("content", "told"),
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
def test_what_a_tool_answers_is_read_in_every_form(content: Any, told: str) -> None:
    read = as_contract({"role": "tool", "tool_call_id": "c1", "content": content})
    assert read["parts"] == [{"type": "tool_result", "call": "c1", "content": told}]
