"""The second request after an answer that cannot be used."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files

from ..domain.completion import ChatMessage, LLMRequest
from .failures import Answer, ProviderError, TruncatedCompletion

LONGEST_SHOWN = 4000
"""Characters of the unusable answer, from its end, that its author is shown again."""
WARMER = 0.5
"""The temperature after an answer that was cut off: at 0 the same model runs on in the same way."""
OTHER_SEED = 1_000


def repair_request(request: LLMRequest, answer: Answer, wish: Callable[[], str | None]) -> LLMRequest | None:
    """Return the request that may bring a usable answer after this one. An answer that was cut off is asked for in fewer words,
    with another seed and some temperature; one that cannot be read is sent back with `wish`. None where asking again does not
    help: the upstream failed, the answer loops or fills the context, or `wish` finds nothing wrong and returns None."""
    if isinstance(answer, TruncatedCompletion):
        return replace(
            request,
            messages=(*request.messages, ChatMessage("user", _shorter())),
            temperature=max(request.temperature or 0.0, WARMER),
            seed=None if request.seed is None else request.seed + OTHER_SEED,
        )
    if isinstance(answer, ProviderError) or (words := wish()) is None:
        return None
    # Some servers refuse an empty message.
    said = ChatMessage("assistant", answer.text[-LONGEST_SHOWN:].strip() or "(nothing)")
    return replace(request, messages=(*request.messages, said, ChatMessage("user", words)))


@cache
def _shorter() -> str:
    return files(__package__).joinpath("answer_shorter.txt").read_text("utf-8").strip()
