"""The size of a model's context: requests that cannot fit it are refused before they are sent. And the reason why an answer was cut
off: its own bound, the context, or a loop."""

import re

from ..domain.completion import LLMRequest, Usage
from .failures import Answer, ContextTooLong, LoopingCompletion, ProviderError, TruncatedCompletion

MOST_CHARACTERS = 5.0
"""Most characters per token over a whole prompt: one that is too long by this measure never fits."""
FEWEST_CHARACTERS = 3.5
"""Characters per token in a prompt with many tokens for its length."""
SHORTEST_ANSWER = 64
SMALLEST, LARGEST = 256, 100_000_000

_STATED = re.compile(
    r"(?:context|model|prompt) (?:length|window|size)\D{0,20}(\d{3,9})|(?:n_ctx|max_model_len)\W{1,5}(\d{3,9})"
    r"|(?:tokens|\+ \d{1,9}) > (\d{3,9})|token limit: (\d{3,9})|must be <= (\d{3,9})",
    re.IGNORECASE,
)

TAIL = 2_000
"""Characters from the end of an answer that are searched for a loop."""
SHORTEST_LOOP = 120
FEWEST_REPEATS = 4
SMALLEST_CONTEXT = 512
"""Tokens: no model in use holds less, so that an answer cut off before was cut off for another reason."""

_NUMBER = re.compile(r"\d{1,20}")


def overflow(request: LLMRequest, context: int | None) -> ContextTooLong | None:
    """Return the failure of a request that cannot fit a context of so many tokens; None where it may fit."""
    least = round(_characters(request) / MOST_CHARACTERS)
    if context is None or least + SHORTEST_ANSWER <= context:
        return None
    detail = (
        f"the prompt has at least {least} tokens, but the model's context is only {context} with the answer: shorten the log, "
        "ask about fewer factors in a call, or name a model with a larger context. Nothing was sent."
    )
    return ContextTooLong(detail)


def unread_prompt(request: LLMRequest, answer: Answer) -> Answer:
    """Return the failure of an answer to a prompt that the server cut to its context without an error, as Ollama does: the count of its
    tokens is a context's size, and too low. Any other answer is returned as it is."""
    read, least = answer.usage.input_tokens, round(_characters(request) / MOST_CHARACTERS)
    if read < SMALLEST or read % SMALLEST or least <= read:
        return answer
    detail = f"the server read {read} tokens, its context, of a prompt with at least {least}: raise its context, or shorten the log"
    return ContextTooLong(detail, usage=answer.spent, model=answer.model, context=read)


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


def cut_off(text: str, usage: Usage, bound: int | None) -> ProviderError:
    """Return the failure of an answer that ended at a limit. `bound` is the most tokens that it was allowed, None for no
    bound; `usage` holds the tokens of prompt and answer, 0 where the server counts none."""
    if is_looping(text):
        return LoopingCompletion("the answer repeats itself until it is cut off", usage=usage)
    output = usage.output_tokens
    context = usage.input_tokens + output
    # A server's own bound of answers is a round number: 512, 1000, 4096.
    is_round = output & (output - 1) == 0 or output % 500 == 0
    unused = output < bound if bound is not None else not is_round
    if output and unused and context >= SMALLEST_CONTEXT:
        detail = f"prompt and answer fill the model's context of {context} tokens; shorten the log or raise the context"
        return ContextTooLong(detail, usage=usage, context=context)
    return TruncatedCompletion("the answer stopped at the token limit", usage=usage)


def is_looping(text: str) -> bool:
    """Return whether the end of a text is one passage at least four times, over 120 characters or more. Numbers count as
    equal: a list whose entries differ only in them is a loop."""
    tail = _NUMBER.sub("0", text[-TAIL:].casefold())[::-1]
    border = 0
    borders = [0] * len(tail)
    for at in range(1, len(tail)):
        while border and tail[at] != tail[border]:
            border = borders[border - 1]
        border += tail[at] == tail[border]
        borders[at] = border
        length = at + 1
        if length >= SHORTEST_LOOP and length >= FEWEST_REPEATS * (length - border):
            return True
    return False
