"""Requests, calls, and adapters of both SDKs against the local provider."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.domain.completion import Call, ChatMessage, LLMRequest
from service.llm.provider import Provider
from service.llm.providers.anthropic import AnthropicAdapter
from service.llm.providers.openai import OpenAIAdapter
from tests.patience import PATIENCE
from tests.provider.server import ProviderServer

SCHEMA = (
    '{"type": "object", "properties": {"rationale": {"type": "string"}, '
    '"score": {"type": "integer", "enum": [0, 1, 2, 3, 4]}}}'
)


@pytest.fixture
async def openai(provider: ProviderServer) -> AsyncIterator[OpenAIAdapter]:
    made = OpenAIAdapter(provider.openai_url, "local-key")
    yield made
    await made.aclose()


@pytest.fixture
async def anthropic(provider: ProviderServer) -> AsyncIterator[AnthropicAdapter]:
    made = AnthropicAdapter(provider.url, "local-key")
    yield made
    await made.aclose()


@pytest.fixture(params=["openai", "anthropic"])
def adapter(request: pytest.FixtureRequest, openai: OpenAIAdapter, anthropic: AnthropicAdapter) -> Provider:
    """Each test runs with both SDKs."""
    return openai if request.param == "openai" else anthropic


def make_request(text: str = "Rate this.", **fields: Any) -> LLMRequest:
    plain: dict[str, Any] = {
        "upstream": "local",
        "base_url": "http://127.0.0.1/v1",
        "model": "judge-1",
        "messages": (ChatMessage("system", "You judge."), ChatMessage("user", text)),
        "schema": SCHEMA,
    }
    return LLMRequest(**(plain | fields))


def make_call(seconds: float | None = PATIENCE) -> Call:
    return Call(None if seconds is None else asyncio.get_running_loop().time() + seconds)
