"""Mistral, whose API speaks Chat Completions."""

from ..capability import CHAT, Capability
from ..declaration import ModelFamily, ProviderDeclaration
from .openai import OpenAIAdapter

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
    tokens="100 prompt tokens and no word of a cache: 100 input tokens, none cached.",
)
