"""No two requests that differ in anything share an answer; the same request always finds its own."""

from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st

from service.domain.completion import AnswerFormat, ChatMessage, LLMRequest
from service.llm.cache import cache_key

text = st.text(max_size=12)
messages = st.lists(
    st.builds(ChatMessage, st.sampled_from(["system", "user"]), text, st.booleans()), max_size=3
)
requests = st.builds(
    LLMRequest,
    upstream=text,
    base_url=text,
    model=text,
    messages=messages.map(tuple),
    schema=st.none() | text,
    temperature=st.none() | st.floats(0, 2) | st.integers(0, 2),
    seed=st.none() | st.integers(0, 9),
    max_tokens=st.none() | st.integers(1, 9999),
    draw=st.integers(0, 20),
    extra=st.lists(st.tuples(text, text), max_size=2).map(tuple),
    answer_format=st.sampled_from(AnswerFormat),
    limit_parameter=st.sampled_from(["max_tokens", "max_completion_tokens"]),
)


@given(requests, requests)
def test_keys_are_equal_exactly_where_requests_are(first: LLMRequest, second: LLMRequest) -> None:
    assert (cache_key(first) == cache_key(second)) == (first == second)


@given(requests, st.data())
def test_a_change_of_any_field_changes_the_key(request: LLMRequest, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([field.name for field in fields(LLMRequest)]))
    other = data.draw(requests.filter(lambda drawn: getattr(drawn, name) != getattr(request, name)))
    assert cache_key(replace(request, **{name: getattr(other, name)})) != cache_key(request)


@given(text, text, text)
def test_text_cannot_move_from_one_field_into_the_next(first: str, second: str, third: str) -> None:
    def key(*parts: str) -> str:
        return cache_key(LLMRequest("u", "b", "m", tuple(ChatMessage("user", part) for part in parts)))

    assert key(first + second, third) != key(first, second + third) or not second
