"""The official SDKs against a provider that misbehaves: every fault becomes the failure it stands for."""

import asyncio
import json
from typing import Any

import pytest

from service.domain.completion import AnswerFormat, ChatMessage, Completion, Usage
from service.llm.error_translation import LONGEST_WAIT
from service.llm.failures import (
    ContextTooLong,
    ProviderError,
    RateLimited,
    Refused,
    Rejected,
    TimedOut,
    TruncatedCompletion,
    Unauthorised,
    Unavailable,
    UnknownModel,
    UnreadableCompletion,
    UnsupportedParameter,
)
from service.llm.provider import Provider
from service.llm.providers.anthropic import AnthropicAdapter
from service.llm.providers.openai import OpenAIAdapter
from tests.integration.llm.conftest import make_call, make_request
from tests.patience import PATIENCE
from tests.provider.batches import BatchDesk
from tests.provider.behaviours import (
    HTML,
    Answer,
    Behaviour,
    Body,
    CutJSON,
    Declined,
    Drip,
    Garbled,
    Hang,
    Reset,
    Status,
    Truncated,
    context_too_long,
    huge,
    rate_limited,
    unknown_model,
    unsupported,
)
from tests.provider.server import ProviderServer

GOOD = '{"rationale": "Every reply follows.", "score": 3}'


@pytest.mark.parametrize("answer_format", list(AnswerFormat))
async def test_an_answer_comes_back_whatever_its_format(
    adapter: Provider, provider: ProviderServer, answer_format: AnswerFormat
) -> None:
    provider.behave(Answer(GOOD, cached=5, model="judge-1-2026"))
    [answer] = await adapter.complete([make_request(answer_format=answer_format)], make_call())
    assert isinstance(answer, Completion)
    assert json.loads(answer.text) == json.loads(GOOD)
    assert (answer.model, answer.cached) == ("judge-1-2026", False)
    assert answer.usage.cached_input_tokens == 5
    assert answer.usage.input_tokens == len("You judge.\nRate this.") // 4 + 1
    assert answer.usage.output_tokens > 0


FAULTS: list[tuple[Behaviour, type[ProviderError]]] = [
    (rate_limited(2), RateLimited),
    (Status(500), Unavailable),
    (Status(529, "Overloaded"), Unavailable),
    (Status(401, "Incorrect API key provided: sk-loc**key"), Unauthorised),
    (Status(403, "Country not supported"), Unauthorised),
    (context_too_long(), ContextTooLong),
    (Status(400, "prompt is too long: 250000 tokens > 200000 maximum"), ContextTooLong),
    (unknown_model(), UnknownModel),
    (Status(410, "This model was retired"), UnknownModel),
    (Status(400, "The model `old-1` has been decommissioned and is no longer supported."), UnknownModel),
    (Status(400, "Something about your account"), Rejected),
    (Status(400, "No", parameter=["temperature"]), Rejected),
    (Hang(), TimedOut),
    (Reset(), Unavailable),
    (Reset(amid=True), Unavailable),
    (Garbled(), Unavailable),
    (Garbled(b""), Unavailable),
    (Garbled(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"), Unavailable),
    (CutJSON(), UnreadableCompletion),
    (Body(HTML, "text/html"), UnreadableCompletion),
    (Body(HTML), UnreadableCompletion),
    (Body(b"null"), UnreadableCompletion),
    (Body(b"{}"), UnreadableCompletion),
    (Body(b""), UnreadableCompletion),
    (Body(b'"Service is starting"'), UnreadableCompletion),
    (Body(b'{"choices": [], "content": null, "type": "message"}'), UnreadableCompletion),
    (Body(b'{"choices": [{"message": null}], "content": [null]}'), UnreadableCompletion),
    (Body(b'{"error": {"message": "upstream failed", "code": 502}}'), Unavailable),
    (Body(b'{"error": {"message": "slow down", "code": 429}}'), RateLimited),
    (Body(b'{"error": {"message": "no", "code": "server_error"}}'), UnreadableCompletion),
    (Body(b'{"error": "model is loading"}'), UnreadableCompletion),
    (Answer("  "), UnreadableCompletion),
    (Truncated(), TruncatedCompletion),
    (Declined(), Refused),
    (Drip(0.05), TimedOut),
    (huge(), UnreadableCompletion),
]


@pytest.mark.parametrize(
    ("behaviour", "failure"), FAULTS, ids=lambda part: getattr(part, "__name__", str(part))[:60]
)
async def test_every_misbehaviour_is_the_failure_it_stands_for_in_time(
    adapter: Provider, provider: ProviderServer, behaviour: Behaviour, failure: type[ProviderError]
) -> None:
    provider.behave(behaviour)
    [answer] = await adapter.complete(
        [make_request(schema=None)], make_call(1 if failure is TimedOut else PATIENCE)
    )
    assert type(answer) is failure, answer
    assert provider.calls == 1
    # The socket is closed in the next turn of the event loop.
    assert await asyncio.to_thread(provider.wait_idle)


async def test_what_a_failed_call_cost_is_told(adapter: Provider, provider: ProviderServer) -> None:
    for behaviour in (Truncated(), Declined(), Answer(" ")):
        provider.behave(behaviour)
        [answer] = await adapter.complete([make_request(schema=None)], make_call())
        assert isinstance(answer, ProviderError)
        assert answer.usage.input_tokens > 0


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        (3, 3.0),
        ("0.5", 0.5),
        ("soon", None),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
        ("Fri, 31 Dec 2001 23:59:59 GMT", 0.0),
        ("1e300", LONGEST_WAIT),
    ],
)
async def test_the_providers_wish_to_wait_is_read(
    adapter: Provider, provider: ProviderServer, asked: float | str, seconds: float | None
) -> None:
    provider.behave(rate_limited(asked))
    [answer] = await adapter.complete([make_request()], make_call())
    assert isinstance(answer, RateLimited)
    assert answer.retry_after == seconds


async def test_quota_that_is_used_up_is_not_retryable(
    provider: ProviderServer, openai: OpenAIAdapter
) -> None:
    provider.behave(Status(429, "You exceeded your current quota", "insufficient_quota"))
    [answer] = await openai.complete([make_request()], make_call())
    assert isinstance(answer, RateLimited)
    assert not answer.retryable


def chat(**choice: Any) -> Body:
    """An answer of Chat Completions with one choice."""
    return Body(json.dumps({"choices": [choice], "usage": {"prompt_tokens": 40}}, indent=2).encode())


async def test_a_choice_that_broke_off_has_the_cause_that_its_router_states(
    provider: ProviderServer, openai: OpenAIAdapter
) -> None:
    broken = {"message": {"content": '{"ratio'}, "finish_reason": "error"}
    provider.behave(chat(**broken, error={"code": 503, "message": "provider down"}))
    [answer] = await openai.complete([make_request()], make_call())
    assert isinstance(answer, Unavailable)
    assert (answer.usage.input_tokens, "provider down" in answer.detail) == (40, True)


@pytest.mark.parametrize("content", [None, "I call the tool now.", GOOD])
async def test_a_verdict_is_found_beside_other_calls(
    provider: ProviderServer, openai: OpenAIAdapter, content: str | None
) -> None:
    arguments = '{"query": "games"}' if content == GOOD else GOOD
    call = {"type": "function", "function": {"name": "x", "arguments": arguments}}
    provider.behave(chat(message={"content": content, "tool_calls": [call]}))
    [answer] = await openai.complete([make_request()], make_call())
    assert isinstance(answer, Completion)
    assert GOOD in answer.text


async def test_the_probabilities_of_a_long_answer_are_read(
    provider: ProviderServer, openai: OpenAIAdapter
) -> None:
    words = f'{{"rationale": "{"word " * 400}", "score": 3}}'
    other = {"token": "Wort ", "logprob": -7.123456789, "bytes": [87, 111, 114, 116, 32]}
    tokens = [{"token": one, "logprob": -0.25, "top_logprobs": [other] * 20} for one in words.split(" ")]
    for one in tokens[:-1]:
        one["token"] = f"{one['token']} "
    body = chat(message={"content": words}, logprobs={"content": tokens})
    assert len(body.data) > 2_000_000
    provider.behave(body, body)
    answers = [(await openai.complete([make_request(logprobs=n)], make_call()))[0] for n in (20, None)]
    assert isinstance(answers[0], Completion)
    assert len(answers[0].odds) == 1
    assert isinstance(answers[1], UnreadableCompletion)


PARAMETERS = [
    ({"temperature": 0.0}, unsupported("temperature"), "temperature"),
    ({"temperature": 0.0}, Status(400, "temperature: Extra inputs are not permitted"), "temperature"),
    ({"temperature": 0.0}, Status(400, "`temperature` is deprecated for this model."), "temperature"),
    ({"max_tokens": 9}, unsupported("max_tokens"), "max_tokens"),
    (
        {},
        Status(400, "response_format and output_config are not available for this model"),
        "response schema",
    ),
    ({"answer_format": AnswerFormat.TOOL}, Status(422, "tools: not supported"), "tool"),
    ({"extra": (("effort", '"low"'),)}, Status(400, "unknown field effort"), "effort"),
    (
        {"extra": (("thinking", "true"),), "answer_format": AnswerFormat.TOOL},
        Status(400, "Thinking may not be enabled when tool_choice forces tool use."),
        "tool",
    ),
]


@pytest.mark.parametrize(("fields", "behaviour", "parameter"), PARAMETERS)
async def test_an_error_that_names_a_parameter_says_which(
    adapter: Provider, provider: ProviderServer, fields: dict[str, Any], behaviour: Status, parameter: str
) -> None:
    provider.behave(behaviour)
    [answer] = await adapter.complete([make_request(**fields)], make_call())
    assert isinstance(answer, UnsupportedParameter), answer
    assert answer.parameter == parameter


async def test_an_error_about_something_that_was_not_sent_is_a_plain_rejection(
    adapter: Provider, provider: ProviderServer
) -> None:
    provider.behave(Status(400, "temperature is not supported"))
    [answer] = await adapter.complete([make_request(temperature=None)], make_call())
    assert isinstance(answer, Rejected)


async def test_answers_keep_the_order_of_their_requests_and_one_failure_spares_the_others(
    adapter: Provider, provider: ProviderServer
) -> None:
    provider.default = lambda payload: (
        Status(500)
        if "fail" in json.dumps(payload)
        else Answer(lambda asked: json.dumps(asked["messages"][-1]["content"]))
    )
    requests = [make_request(text, schema=None) for text in ("one", "fail", "two", "three")]
    answers = await adapter.complete(requests, make_call())
    assert isinstance(answers[1], Unavailable)
    for text, answer in zip(("one", "two", "three"), [answers[0], *answers[2:]], strict=True):
        assert isinstance(answer, Completion)
        assert text in answer.text


async def test_the_whole_request_is_on_the_wire(provider: ProviderServer, openai: OpenAIAdapter) -> None:
    request = make_request(
        temperature=0.0,
        seed=7,
        max_tokens=300,
        limit_parameter="max_completion_tokens",
        extra=(("reasoning_effort", '"low"'),),
        messages=(
            ChatMessage("system", "s"),
            ChatMessage("user", "log", True),
            ChatMessage("user", "rubric"),
        ),
    )
    await openai.complete([request], make_call())
    [received] = provider.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == "Bearer local-key"
    payload = dict(received.payload)
    form = payload.pop("response_format")
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    assert payload == {
        "model": "judge-1",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "log\n\nrubric"}],
        "temperature": 0.0,
        "seed": 7,
        "max_completion_tokens": 300,
        "reasoning_effort": "low",
    }


async def test_a_prefix_is_marked_where_anthropic_is_to_keep_it(
    provider: ProviderServer, anthropic: AnthropicAdapter
) -> None:
    messages = (ChatMessage("system", "s"), ChatMessage("user", "log", True), ChatMessage("user", "rubric"))
    await anthropic.complete([make_request(messages=messages, temperature=0.0)], make_call())
    payload = provider.received[0].payload
    assert payload["system"] == [{"type": "text", "text": "s"}]
    assert payload["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "log", "cache_control": {"type": "ephemeral"}},
                {"type": "text", "text": "rubric"},
            ],
        }
    ]
    assert (payload["temperature"], payload["max_tokens"]) == (0.0, 4096)
    assert payload["output_config"]["format"]["type"] == "json_schema"
    assert "seed" not in payload


async def test_anthropic_input_includes_what_its_cache_read_and_wrote(
    provider: ProviderServer, anthropic: AnthropicAdapter
) -> None:
    counts = {"input_tokens": 50, "cache_creation_input_tokens": 150, "cache_read_input_tokens": 1000}
    said = {
        "type": "message",
        "model": "m",
        "content": [{"type": "text", "text": "Hi."}],
        "stop_reason": "end_turn",
    }
    provider.default = Body(json.dumps({**said, "usage": {**counts, "output_tokens": 30}}).encode())
    [answer] = await anthropic.complete([make_request()], make_call())
    assert answer.usage == Usage(1200, 30, 1000)


async def test_counts_that_no_answer_can_have_are_left_out(
    provider: ProviderServer, openai: OpenAIAdapter
) -> None:
    usage = {"prompt_tokens": True, "completion_tokens": 10**40, "total_tokens": "9"}
    provider.behave(Body(json.dumps({"choices": [{"message": {"content": "Hi."}}], "usage": usage}).encode()))
    [answer] = await openai.complete([make_request()], make_call())
    assert answer.usage == Usage()


@pytest.mark.parametrize("body", ["No", ["No"], {"error": "No"}, {"error": {"message": "No", "param": 3}}])
async def test_an_entry_of_a_batch_may_fail_in_any_form(
    provider: ProviderServer, openai: OpenAIAdapter, body: Any
) -> None:
    provider.desk = BatchDesk(lambda _anthropic, _payload: (400, body))
    provider.desk.looks_needed = 0
    requests = {"a": make_request()}
    answers = await openai.collect(await openai.submit("token", requests), requests)
    assert answers is not None
    assert isinstance(answers["a"], Rejected)
    assert "No" in answers["a"].detail


async def test_closing_leaves_no_socket(adapter: Provider, provider: ProviderServer) -> None:
    await adapter.complete([make_request(str(number)) for number in range(20)], make_call())
    await adapter.aclose()
    assert provider.wait_closed()


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("spared", [False, True])
async def test_calls_go_through_the_proxy_that_the_environment_names(
    provider: ProviderServer, monkeypatch: pytest.MonkeyPatch, kind: str, spared: bool
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9" if spared else provider.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1" if spared else "")
    address = provider.url if spared else "http://judge.invalid"
    adapter: Provider
    if kind == "openai":
        adapter = OpenAIAdapter(f"{address}/v1", "local-key")
    else:
        adapter = AnthropicAdapter(address, "local-key")
    [answer] = await adapter.complete([make_request()], make_call())
    await adapter.aclose()
    assert isinstance(answer, Completion)
    assert provider.received[0].path.startswith("/v1/" if spared else "http://judge.invalid/v1/")
    assert await asyncio.to_thread(provider.wait_closed)
