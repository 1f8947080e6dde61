"""Asking a language model for one structured answer on behalf of a simulated user."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Generic, Protocol

from ..domain.completion import NO_USAGE, Call, ChatMessage, Usage
from ..domain.verdict import JudgeName
from ..errors import DeadlineExceeded, UpstreamFailed, UpstreamRefused
from ..llm.failures import (
    CONFIGURATION_CODES,
    LoopingCompletion,
    ProviderError,
    Refused,
    TimedOut,
    TruncatedCompletion,
    UnreadableCompletion,
)
from ..llm.repair import Completer, ask_with_repair, request_to
from ..prompts import render
from .form import F, read, schema_of

SEED = 42
"""The model's seed where the caller names none."""

DRAWS_A_SEED = 100
"""More than any simulator draws of one prompt: the draws of two seeds never share a number."""

ROOM = 1_500
"""Tokens for an answer."""

PROMPTS = Path(__file__).parent / "prompts"
_CONTENT_FAILURES = (Refused, TruncatedCompletion, LoopingCompletion, UnreadableCompletion)


@dataclass(frozen=True, slots=True)
class Answered(Generic[F]):
    """A usable answer, and what it took to have it."""

    value: F
    model: str
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The model refused or gave nothing usable twice."""

    code: str
    detail: str
    usage: Usage = NO_USAGE


class Asker(Protocol):
    """Puts a prompt to a model and reads the answer into a form."""

    @property
    def name(self) -> JudgeName: ...

    async def ask(
        self, messages: Sequence[ChatMessage], form: type[F], call: Call, *, draw: int = 0
    ) -> Answered[F] | Unanswered:
        """The model's answer. Raises UpstreamFailed or DeadlineExceeded where it cannot be had."""


class LLMAsker:
    """Asks through a provider, at the caller's temperature and seed where the model takes them; by default at temperature 0 and
    with one seed, as CONCEPT and PEPPER do. The caller's seed numbers the draws as well:
    a model that takes no seed is asked again for another one. Asks once more where the answer was cut off (for fewer words)
    or cannot be read (with what was wrong). Raises ValueError for a name without a model."""

    def __init__(
        self,
        models: Completer,
        name: JudgeName,
        base_url: str,
        seed: int | None = None,
        temperature: float | None = None,
    ) -> None:
        self._models = models
        self._blank = request_to(
            name,
            base_url,
            temperature=temperature or 0.0,
            seed=SEED if seed is None else seed,
            draw=0 if seed is None else (seed + 1) * DRAWS_A_SEED,
            max_tokens=ROOM,
        )
        self.name = name

    async def ask(
        self, messages: Sequence[ChatMessage], form: type[F], call: Call, *, draw: int = 0
    ) -> Answered[F] | Unanswered:
        """The model's answer, mended once if need be."""
        request = replace(
            self._blank, messages=tuple(messages), schema=schema_of(form), draw=self._blank.draw + draw
        )
        heard = "\n".join(message.content for message in messages)
        reader = partial(read, form=form, heard=heard)
        answers = await ask_with_repair(self._models, request, call, reader, _repair)
        answer, usage = answers[-1], sum((one.spent for one in answers), NO_USAGE)
        if isinstance(answer, _CONTENT_FAILURES):
            return Unanswered(answer.code, answer.detail, usage)
        if isinstance(answer, ProviderError):
            wrong = DeadlineExceeded if isinstance(answer, TimedOut) else UpstreamFailed
            wrong = UpstreamRefused if answer.code in CONFIGURATION_CODES else wrong
            detail = f"The simulated user's model {self.name} gave no answer: {answer.detail}"
            raise wrong(detail, partial={"usage": usage}, retry_after=answer.retry_after)
        value = read(answer.text, form, heard)
        if isinstance(value, str):
            return Unanswered("unreadable", value, usage)
        return Answered(value, answer.model, usage)


def _repair(problem: str) -> str:
    return render(prompt("repair"), problem=problem)


@cache
def prompt(name: str) -> str:
    """The text of a prompt file."""
    return (PROMPTS / f"{name}.txt").read_text(encoding="utf-8").strip()
