"""Messages as other APIs write them never break the reading, whatever a field holds: the contract's check refuses what is wrong."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from service.api.wire.chat_messages import as_contract

ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(["", "user", "tool", "text", "tool_use", "tool_result", "image"]),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(st.sampled_from(["type", "text", "content", "name", "function", "url"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
FIELDS = ("role", "content", "parts", "tool_calls", "tool_call_id", "function_call", "name", "refusal", "id")


@given(st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=5))
def test_any_field_may_hold_anything(message: dict[str, Any]) -> None:
    made = as_contract(message)
    assert isinstance(made, dict)
    assert made.get("role") == message.get("role") or made["role"] == "tool"


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["type", "text", "input", "content", "image_url", "source"]), ODD),
        max_size=3,
    )
)
def test_any_part_may_hold_anything(parts: list[Any]) -> None:
    assert as_contract({"role": "assistant", "content": parts})["role"] == "assistant"
