"""Asking a language model for one structured answer on behalf of a simulated user."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Generic, Protocol

from ..domain.completion import NO_USAGE, Call, ChatMessage, Completion, LLMRequest, Usage
from ..domain.verdict import JudgeName
from ..errors import CrsEvalError, DeadlineExceeded, UpstreamFailed
from ..llm.capability import Capabilities, WireProtocol
from ..llm.failures import (
    Answer,
    ProviderError,
    Refused,
    TimedOut,
    TruncatedCompletion,
    UnreadableCompletion,
    UnsupportedParameter,
)
from ..llm.provider import Provider
from ..prompts import render
from .form import LONGEST, F, Form, is_readable, read, schema_of

SEED = 42
ROOM, THINKING = 1_500, 4_096
"""Tokens for an answer, and what a model that reasons gets beside them."""

PROMPTS = Path(__file__).parent / "prompts"
_CONTENT_FAILURES = (Refused, TruncatedCompletion, UnreadableCompletion)


@dataclass(frozen=True, slots=True)
class Answered(Generic[F]):
    """A usable answer, and what it took to have it."""

    value: F
    model: str
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The model refused or gave nothing usable twice: a simulated user then speaks by rule."""

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
        ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is had: the upstream's name, base URL and protocol, and the model's name there."""

    upstream: str
    base_url: str
    protocol: WireProtocol
    model: str


@dataclass(frozen=True, slots=True)
class LLMAsker:
    """Asks through a provider, at temperature 0 and with a fixed seed where the model takes them, as
    CONCEPT and PEPPER do; once more, with what was wrong, where the answer cannot be read."""

    provider: Provider
    capabilities: Capabilities
    endpoint: Endpoint

    @property
    def name(self) -> JudgeName:
        """The model as callers name it."""
        return JudgeName(self.endpoint.upstream, self.endpoint.model)

    async def ask(
        self, messages: Sequence[ChatMessage], form: type[F], call: Call, *, draw: int = 0
    ) -> Answered[F] | Unanswered:
        """The model's answer, mended once if need be."""
        first = await self._complete(tuple(messages), form, call, draw)
        if isinstance(first, Unanswered):
            return first
        try:
            return Answered(read(first.text, form), first.model, first.usage)
        except ValueError as wrong:
            problem = str(wrong)
        # Some servers refuse an empty message.
        said = ChatMessage("assistant", first.text[-LONGEST:].strip() or "(nothing)")
        mend = ChatMessage("user", render(prompt("repair"), problem=problem))
        second = await self._complete((*messages, said, mend), form, call, draw)
        usage = first.usage + second.usage
        if isinstance(second, Unanswered):
            return replace(second, usage=usage)
        try:
            return Answered(read(second.text, form), second.model, usage)
        except ValueError as wrong:
            return Unanswered("unreadable", f"neither the answer nor its repair can be read: {wrong}", usage)

    async def _complete(
        self, messages: tuple[ChatMessage, ...], form: type[Form], call: Call, draw: int
    ) -> Completion | Unanswered:
        answer, lost = await self._ask_as_it_takes(messages, form, call, draw)
        if isinstance(answer, Completion):
            return replace(answer, usage=answer.usage + answer.lost + lost)
        if isinstance(answer, _CONTENT_FAILURES):
            return Unanswered(answer.code, answer.detail, answer.usage + lost)
        raise _unreachable(answer, self.name)

    async def _ask_as_it_takes(
        self, messages: tuple[ChatMessage, ...], form: type[Form], call: Call, draw: int
    ) -> tuple[Answer, Usage]:
        """One answer, and what was lost on the way: a parameter that the model turns out not to take
        is left off, and it is asked again."""
        end, lost = self.endpoint, NO_USAGE
        readable = replace(call, accept=lambda _, completion: is_readable(completion.text, form))
        while True:
            (answer,) = await self.provider.complete([self._request(messages, form, draw)], readable)
            if not isinstance(answer, UnsupportedParameter) or not self.capabilities.refused(
                end.upstream, end.protocol, end.model, answer.parameter
            ):
                return answer, lost
            lost += answer.usage

    def _request(self, messages: tuple[ChatMessage, ...], form: type[Form], draw: int) -> LLMRequest:
        end = self.endpoint
        takes = self.capabilities.of(end.upstream, end.protocol, end.model)
        return LLMRequest(
            upstream=end.upstream,
            base_url=end.base_url,
            model=end.model,
            messages=messages,
            schema=schema_of(form),
            temperature=0.0 if takes.temperature else None,
            seed=SEED if takes.seed else None,
            max_tokens=ROOM + (THINKING if takes.reasoning else 0) if takes.limit else None,
            draw=draw,
            answer_format=takes.format,
            limit_parameter=takes.limit or "max_tokens",
        )


@cache
def prompt(name: str) -> str:
    """The text of a prompt file."""
    return (PROMPTS / f"{name}.txt").read_text(encoding="utf-8").strip()


def _unreachable(failure: ProviderError, name: JudgeName) -> CrsEvalError:
    wrong = DeadlineExceeded if isinstance(failure, TimedOut) else UpstreamFailed
    return wrong(
        f"The simulated user's model {name} gave no answer: {failure.detail}", retry_after=failure.retry_after
    )
