"""Asking once more after an answer that cannot be used."""

from collections.abc import Callable
from dataclasses import replace

from ..domain.completion import ChatMessage, LLMRequest
from .failures import Answer, ProviderError, TruncatedCompletion

LONGEST = 4000
"""Characters of the unusable answer, from its end, that its author is shown again."""


def mending(request: LLMRequest, answer: Answer, wish: Callable[[], str | None]) -> LLMRequest | None:
    """The request that may bring a usable answer after this one: one that was cut off gets twice the
    room, one that cannot be read is sent back with `wish`. None where asking again is of no use:
    the upstream failed, or `wish` finds nothing wrong and says None."""
    if isinstance(answer, TruncatedCompletion):
        return replace(request, max_tokens=2 * (request.max_tokens or 0) or None)
    if isinstance(answer, ProviderError) or (words := wish()) is None:
        return None
    # Some servers refuse an empty message.
    said = ChatMessage("assistant", answer.text[-LONGEST:].strip() or "(nothing)")
    return replace(request, messages=(*request.messages, said, ChatMessage("user", words)))
