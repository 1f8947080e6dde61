"""The size of a model's context: requests that cannot fit it are refused before they are sent."""

import re

from ..domain.completion import LLMRequest
from .failures import ContextTooLong

MOST_CHARACTERS = 5.0
"""Characters of a token at most, over a whole prompt: a prompt that is too long by this measure never fits."""
FEWEST_CHARACTERS = 3.5
"""Characters of a token in a prompt that is rather long for its characters."""
SHORTEST_ANSWER = 64
SMALLEST, LARGEST = 256, 100_000_000

_STATED = re.compile(
    r"context (?:length|window|size)\D{0,20}(\d{3,9})|n_ctx\W{1,5}(\d{3,9})|tokens > (\d{3,9}) maximum",
    re.IGNORECASE,
)


def overflow(request: LLMRequest, context: int | None) -> ContextTooLong | None:
    """Return the failure of a request that cannot fit a context of so many tokens; None where it may fit."""
    least = round(_characters(request) / MOST_CHARACTERS)
    if context is None or least + SHORTEST_ANSWER <= context:
        return None
    detail = (
        f"the prompt has at least {least} tokens, and the model's context holds {context} with the answer: shorten the log, "
        "ask about fewer factors in a call, or name a model with a larger context. Nothing was sent."
    )
    return ContextTooLong(detail)


def answer_room(request: LLMRequest, bound: int | None, context: int | None) -> int | None:
    """Return the most tokens of an answer: its bound, or what the prompt leaves of the context, whichever is less."""
    if bound is None or context is None:
        return bound
    left = context - round(_characters(request) / FEWEST_CHARACTERS)
    return min(bound, max(SHORTEST_ANSWER, left))


def stated_context(words: str) -> int | None:
    """Return the size of a context that a server's error names; None where it names none."""
    found = _STATED.search(words)
    size = int(next(filter(None, found.groups()))) if found else 0
    return size if SMALLEST <= size <= LARGEST else None


def _characters(request: LLMRequest) -> int:
    return sum(len(message.content) for message in request.messages)
