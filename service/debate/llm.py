"""A debater that is a language model, whatever its provider."""

import hashlib
import json
from dataclasses import dataclass, replace

from ..domain.completion import Call, ChatMessage, Completion, LLMRequest, Usage
from ..domain.verdict import JudgeName
from ..llm.capability import Capabilities, WireProtocol
from ..llm.failures import Answer, ProviderError, UnsupportedParameter
from ..llm.provider import Provider
from .answer import LONGEST, UnreadableAnswer, read
from .prompt import DebatePrompts
from .statement import Floor, Speech, SpeechFailed, Statement

REVISION = 1
"""Raised with every change to how a model is asked or its answer read."""

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"statement": {"type": "string"}, "score": {"type": "integer"}},
        "required": ["statement", "score"],
        "additionalProperties": False,
    },
    separators=(",", ":"),
)

ROOM, THINKING = 4, 4096
"""How many times the asked length of a statement an answer may take (JSON around it, languages
that need more tokens a word, models that run on), and what a model that reasons gets beside it.
What is cut off is no answer."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is had: the upstream's name, base URL and protocol, and the model's name there."""

    upstream: str
    base_url: str
    protocol: WireProtocol
    model: str


class LLMDebater:
    """Asks a model to speak for a role, and once more where its answer cannot be used."""

    def __init__(
        self, provider: Provider, capabilities: Capabilities, endpoint: Endpoint, prompts: DebatePrompts
    ) -> None:
        self._provider, self._capabilities = provider, capabilities
        self._endpoint, self._prompts = endpoint, prompts
        self.name = JudgeName(endpoint.upstream, endpoint.model)

    @property
    def revision(self) -> str:
        """12 hex digits over the prompts' texts, the schema, and how answers are read."""
        parts = [str(REVISION), SCHEMA, str(self._prompts.words), *self._prompts.texts.values()]
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:12]

    async def speak(self, floor: Floor, call: Call) -> Speech:
        """What the model says for the role; `SpeechFailed` where it cannot be reached, refuses, or
        gives nothing usable twice."""
        messages = self._prompts.messages(floor)
        first = await self._ask(messages, call)
        if isinstance(first, ProviderError):
            return self._failed(floor, first.code, first.detail, first.usage)
        try:
            return self._said(floor, first, _spent(first))
        except UnreadableAnswer as e:
            problem = str(e)
        # Some servers refuse an empty message.
        answered = ChatMessage("assistant", first.text[-LONGEST:].strip() or "(nothing)")
        second = await self._ask((*messages, answered, self._prompts.repair(problem)), call)
        usage = _spent(first) + _spent(second)
        if isinstance(second, ProviderError):
            return self._failed(floor, second.code, f"{problem}; asked again: {second.detail}", usage)
        try:
            return self._said(floor, second, usage)
        except UnreadableAnswer as e:
            return self._failed(
                floor, "unreadable", f"The answer is not usable, nor is its repair: {e}.", usage
            )

    async def _ask(self, messages: tuple[ChatMessage, ...], call: Call) -> Answer:
        """One answer; a parameter that the model turns out not to take is left off, and it is asked
        again."""
        end, lost = self._endpoint, Usage()
        while True:
            request = self._request(messages)
            (answer,) = await self._provider.complete([request], replace(call, accept=_readable))
            if not isinstance(answer, UnsupportedParameter) or not self._capabilities.refused(
                end.upstream, end.protocol, end.model, answer.parameter
            ):
                return _with_lost(answer, lost)
            lost += answer.usage

    def _request(self, messages: tuple[ChatMessage, ...]) -> LLMRequest:
        end = self._endpoint
        takes = self._capabilities.of(end.upstream, end.protocol, end.model)
        if takes.prefix_tokens is not None:
            # The next round's prompt begins with all of this one.
            messages = (*messages[:-1], replace(messages[-1], prefix_ends=True))
        room = ROOM * self._prompts.statement_tokens + (THINKING if takes.reasoning else 0)
        return LLMRequest(
            upstream=end.upstream,
            base_url=end.base_url,
            model=end.model,
            messages=messages,
            schema=SCHEMA,
            temperature=0.0 if takes.temperature else None,
            seed=0 if takes.seed else None,
            max_tokens=room if takes.limit else None,
            answer_format=takes.format,
            limit_parameter=takes.limit or "max_tokens",
        )

    def _said(self, floor: Floor, completion: Completion, usage: Usage) -> Statement:
        answer = read(completion.text)
        return Statement(
            role=floor.role.slug,
            judge=self.name,
            score=answer.score,
            statement=answer.statement,
            model=completion.model,
            cached=completion.cached,
            usage=usage,
        )

    def _failed(self, floor: Floor, code: str, detail: str, usage: Usage) -> SpeechFailed:
        return SpeechFailed(role=floor.role.slug, judge=self.name, code=code, detail=detail, usage=usage)


def _spent(answer: Answer) -> Usage:
    return answer.usage + answer.lost if isinstance(answer, Completion) else answer.usage


def _with_lost(answer: Answer, lost: Usage) -> Answer:
    if isinstance(answer, Completion):
        return replace(answer, lost=answer.lost + lost)
    return replace(answer, usage=answer.usage + lost)


def _readable(_: LLMRequest, completion: Completion) -> bool:
    """Whether an answer is worth keeping: one that cannot be read must not come from the cache."""
    try:
        read(completion.text)
    except UnreadableAnswer:
        return False
    return True
