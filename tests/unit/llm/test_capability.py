import pytest

from service.domain.completion import AnswerFormat
from service.llm.capability import CHAT, UNKNOWN_MODEL
from service.llm.known_models import Capabilities, known_capability

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
        (CHAT, "somebody/something", False, False, None, "schema"),
        (MESSAGES, "claude-haiku-4-5-20251001", True, False, "max_tokens", "schema"),
        (MESSAGES, "claude-sonnet-5-5", False, False, "max_tokens", "schema"),
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


def test_an_unknown_model_is_asked_with_the_schema_and_without_sampling_parameters() -> None:
    assert known_capability(CHAT, "new-1") is UNKNOWN_MODEL
    assert UNKNOWN_MODEL.format is AnswerFormat.SCHEMA
    assert not UNKNOWN_MODEL.temperature
    assert not UNKNOWN_MODEL.seed


def test_what_a_model_refuses_is_dropped_for_it_alone() -> None:
    capabilities = Capabilities()
    assert capabilities.refused("a", CHAT, "gpt-4o", "seed")
    assert not capabilities.of("a", CHAT, "gpt-4o").seed
    assert capabilities.of("a", CHAT, "gpt-4o").temperature
    assert capabilities.of("b", CHAT, "gpt-4o").seed
    assert capabilities.of("a", CHAT, "gpt-4o-mini").seed
    assert not capabilities.refused("a", CHAT, "gpt-4o", "seed")


def test_formats_fall_back_from_schema_to_tool_to_text_and_end_there() -> None:
    capabilities = Capabilities()
    formats = []
    for parameter in ("response schema", "tool", "tool"):
        left = capabilities.refused("a", CHAT, "new-1", parameter)
        formats.append((left, capabilities.of("a", CHAT, "new-1").format))
    assert formats == [(True, "tool"), (True, "text"), (False, "text")]


def test_the_bound_of_an_answer_goes_by_its_other_name_before_it_is_dropped() -> None:
    capabilities = Capabilities()
    assert capabilities.refused("a", CHAT, "llama-3", "max_tokens")
    assert capabilities.of("a", CHAT, "llama-3").limit == "max_completion_tokens"
    assert capabilities.refused("a", CHAT, "llama-3", "max_completion_tokens")
    assert capabilities.of("a", CHAT, "llama-3").limit is None


def test_what_was_never_sent_leaves_no_other_way() -> None:
    assert not Capabilities().refused("a", CHAT, "new-1", "temperature")
