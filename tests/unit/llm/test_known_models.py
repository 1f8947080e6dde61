from collections.abc import Callable
from pathlib import Path

import pytest

from service.domain.completion import AnswerFormat, Call, ChatMessage, Completion, LLMRequest, Usage
from service.errors import ConfigurationError
from service.llm.capability import CHAT, UNKNOWN_MODEL, Capability
from service.llm.failures import (
    Answer,
    ContextTooLong,
    Rejected,
    Unauthorised,
    Unavailable,
    UnsupportedParameter,
)
from service.llm.known_models import (
    REASONING_ROOM,
    Capabilities,
    Fitted,
    Price,
    Priced,
    Prices,
    fit,
    known_capability,
    load_prices,
    load_stated,
)
from tests.factories import Scripted, ask, good

MESSAGES = "messages"


@pytest.mark.parametrize(
    ("protocol", "model", "temperature", "seed", "limit", "answer_format"),
    [
        (CHAT, "gpt-4o-mini", True, True, "max_completion_tokens", "schema"),
        (CHAT, "gpt-4o-2024-05-13", True, True, "max_tokens", "tool"),
        (CHAT, "gpt-6.1-sol", False, False, "max_completion_tokens", "schema"),
        (CHAT, "meta-llama/Llama-3-70B-Instruct", True, True, "max_tokens", "schema"),
        (CHAT, "Qwen/Qwen3-32B", True, True, "max_tokens", "schema"),
        (CHAT, "glm-4-air", True, False, "max_tokens", "tool"),
        (CHAT, "somebody/something", True, True, None, "schema"),
        (MESSAGES, "claude-haiku-4-5-20251001", True, False, "max_tokens", "schema"),
        (MESSAGES, "claude-sonnet-5-5", False, False, "max_tokens", "schema"),
        (MESSAGES, "our-judge-7", True, False, "max_tokens", "schema"),
    ],
)
def test_families(
    protocol: str, model: str, temperature: bool, seed: bool, limit: str | None, answer_format: str
) -> None:
    known = known_capability(protocol, model)
    assert (known.temperature, known.seed, known.limit, known.format) == (
        temperature,
        seed,
        limit,
        answer_format,
    )


async def test_an_unknown_model_gets_all_sampling_parameters_and_loses_only_what_it_refuses() -> None:
    server = Scripted([UnsupportedParameter("no", parameter="seed")])
    fitted = Fitted(server, Capabilities(), {})
    request = ask(model="our-judge-ft7", temperature=1.0, seed=42)
    for _ in range(2):
        [answer] = await fitted.complete([request], Call())
        assert isinstance(answer, Completion)
    assert [(one.temperature, one.seed) for one in server.asked] == [(1.0, 42), (1.0, None), (1.0, None)]


async def test_the_operator_states_what_a_model_takes(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text(
        '["vllm:our-*"]\nseed = false\nlimit = "max_tokens"\n["vllm:our-llama"]\ntemperature = false\n'
    )
    capabilities = Capabilities(load_stated(file))
    stated = capabilities.of("vllm", CHAT, "our-judge")
    assert (stated.temperature, stated.seed, stated.limit) == (True, False, "max_tokens")
    assert not capabilities.of("vllm", CHAT, "our-llama").temperature
    assert capabilities.of("vllm", CHAT, "our-llama").logprobs
    assert capabilities.of("other", CHAT, "our-judge") is UNKNOWN_MODEL
    capabilities.learn("vllm", "our-judge", stated.without("temperature"))
    assert not capabilities.of("vllm", CHAT, "our-judge").temperature


@pytest.mark.parametrize(
    ("model", "field", "steps"),
    [
        (
            "new-1",
            "format",
            [("response schema", True, "tool"), ("tool", True, "text"), ("tool", False, "text")],
        ),
        (
            "llama-3",
            "limit",
            [("max_tokens", True, "max_completion_tokens"), ("max_completion_tokens", True, None)],
        ),
    ],
)
def test_formats_and_the_bound_of_an_answer_fall_back_in_steps(
    model: str, field: str, steps: list[tuple[str, bool, str | None]]
) -> None:
    capabilities = Capabilities()
    for parameter, left, now in steps:
        before = capabilities.of("a", CHAT, model)
        capabilities.learn("a", model, before.without(parameter))
        assert (capabilities.of("a", CHAT, model) != before) is left
        assert getattr(capabilities.of("a", CHAT, model), field) == now


SCHEMA = '{"type": "object"}'
WANTED = ask(schema=SCHEMA, temperature=0.0, seed=1, max_tokens=100, model="gpt-4o")


def fitted(upstream: Scripted) -> Fitted:
    return Fitted(upstream, Capabilities(), {"local": CHAT})


def test_a_request_is_fitted_to_what_a_model_takes() -> None:
    unknown = fit(WANTED, Capability())
    assert (unknown.temperature, unknown.seed, unknown.max_tokens) == (None, None, None)
    assert unknown.answer_format is AnswerFormat.SCHEMA
    thinks = fit(WANTED, Capability(limit="max_completion_tokens", reasoning=True))
    assert (thinks.limit_parameter, thinks.max_tokens) == ("max_completion_tokens", 100 + REASONING_ROOM)
    budget = fit(WANTED, Capability(limit="max_tokens", extra=(("thinking", '{"budget_tokens": 9000}'),)))
    assert budget.max_tokens == 9100
    fitted = fit(WANTED, Capability(format=AnswerFormat.TEXT))
    assert SCHEMA in fitted.messages[-1].content
    assert fitted.messages[:-1] == WANTED.messages
    assert fit(ask(), Capability(format=AnswerFormat.TEXT)).messages == ask().messages


async def test_formats_fall_back_until_one_is_taken_and_what_works_is_remembered() -> None:
    refusals: dict[AnswerFormat, Answer] = {
        AnswerFormat.SCHEMA: UnsupportedParameter("no", parameter="response schema"),
        AnswerFormat.TOOL: Rejected("bad request"),
    }
    upstream = Scripted(lambda request: refusals.get(request.answer_format) or good(request))
    provider = fitted(upstream)
    [answer] = await provider.complete([ask(schema=SCHEMA)], Call())
    assert isinstance(answer, Completion)
    assert [request.answer_format for request in upstream.asked] == ["schema", "tool", "text"]
    assert provider.capability(ask()).format is AnswerFormat.TEXT


async def test_a_bound_that_a_context_cannot_hold_is_lowered_once_the_size_is_known() -> None:
    upstream = Scripted([ContextTooLong("no", context=1000)])
    [answer] = await fitted(upstream).complete([ask("x" * 2800, max_tokens=800, model="llama-3")], Call())
    assert isinstance(answer, Completion)
    assert [request.max_tokens for request in upstream.asked] == [800, 200]


async def test_a_rejection_of_everything_teaches_nothing() -> None:
    provider = fitted(Scripted(lambda request: Rejected("your account is empty")))
    [answer] = await provider.complete([ask(schema=SCHEMA)], Call())
    assert isinstance(answer, Rejected)
    assert provider.capability(ask()).format is AnswerFormat.SCHEMA


@pytest.mark.parametrize(
    "failure", [UnsupportedParameter("no", parameter="messages"), Unauthorised("key")], ids=["fixed", "other"]
)
async def test_a_failure_that_no_other_form_mends_passes_through(failure: Answer) -> None:
    upstream = Scripted(lambda request: failure)
    assert await fitted(upstream).complete([ask(schema="{}")], Call()) == [failure]
    assert len(upstream.asked) == 1


FILE = """
["openai:gpt-x"]
input = 2
cached_input = 0.5
output = 8

["local:*"]
input = 1
output = 1
"""


def request(upstream: str, model: str) -> LLMRequest:
    return LLMRequest(upstream, "http://x", model, (ChatMessage("user", "x"),))


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    path = tmp_path / "prices.toml"
    path.write_text(FILE)
    return load_prices(path)


def test_cached_input_is_part_of_the_input() -> None:
    price = Price(input=2, cached_input=0.5, output=8)
    usage = Usage(input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=100_000)
    assert price.of(usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8)
    assert Price(input=2, output=8).of(usage) == pytest.approx(2 + 0.8)
    assert price.of(Usage(saved_tokens=99)) == 0


def test_a_sum_with_an_unknown_price_is_unknown() -> None:
    priced, unpriced, free = Usage(9, 1, cost=0.5), Usage(9, 1), Usage(saved_tokens=99)
    assert (priced + unpriced).cost is (unpriced + priced).cost is (unpriced + free).cost is None
    assert (priced + free).cost == (free + priced).cost == 0.5


async def test_each_answer_gets_its_models_price(prices: Prices) -> None:
    usage = Usage(input_tokens=500_000)
    said = Completion("x", "m", usage)
    inner = Scripted([said, said, said, Unavailable("down", usage=usage)])
    requests = [
        request("openai", "gpt-x"),
        request("local", "any"),
        request("openai", "other"),
        request("local", "m"),
    ]
    answers = await Priced(inner, prices).complete(requests, Call())
    assert [answer.usage.cost for answer in answers] == [1, 0.5, None, 0.5]


@pytest.mark.parametrize(
    ("load", "text", "said"),
    [
        (load_stated, "[a", "x.toml"),
        (load_stated, '["a:b"]\ntop_p = true', "x.toml"),
        (load_stated, '["a:b"]\nseed = "maybe"', "x.toml"),
        (load_prices, "[x", "x.toml"),
        (load_prices, '["a:b"]\ninput = 1', "a:b|output"),
        (load_prices, '["a:b"]\ninput = -1\noutput = 1', "input"),
        (load_prices, None, "x.toml"),
    ],
)
def test_a_broken_or_missing_file_stops_the_start(
    tmp_path: Path, load: Callable[[Path], object], text: str | None, said: str
) -> None:
    path = tmp_path / "x.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigurationError, match=said):
        load(path)
