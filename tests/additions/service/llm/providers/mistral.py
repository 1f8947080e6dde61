"""Mistral, whose API speaks Chat Completions."""

from ...domain.completion import Usage
from ..capability import CHAT, Capability
from ..declaration import Example, ModelFamily, ProviderDeclaration
from .openai import NAME, OpenAIAdapter

PROVIDER = ProviderDeclaration(
    name="mistral",
    place=30,
    title="Mistral",
    base_url="https://api.mistral.ai/v1",
    key="MISTRAL_API_KEY",
    sdk="openai",
    protocol=CHAT,
    families=(
        # OpenAI's adapter knows other servers' models of this name, which take a seed: a provider's own families come first.
        ModelFamily(("mistral-small*",), Capability(temperature=True, limit="max_tokens")),
    ),
    adapter=OpenAIAdapter,
    example=Example(
        model="mistral-small",
        question="How natural are the replies?",
        schema={"type": "object"},
        path="/chat/completions",
        sent={
            "model": "mistral-small",
            "messages": [{"role": "user", "content": "How natural are the replies?"}],
            "temperature": 0.0,
            "max_tokens": 400,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": NAME, "schema": {"type": "object"}, "strict": True},
            },
        },
        received={
            "model": "mistral-small",
            "choices": [{"message": {"content": '{"score": 2}'}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20},
        },
        text='{"score": 2}',
        usage=Usage(input_tokens=100, output_tokens=20),
        worked="100 prompt tokens and no word of a cache: 100 input tokens, none cached.",
    ),
)
