"""A debater that is a language model, whatever its provider."""

import hashlib
import json
from dataclasses import dataclass

from ..domain.completion import Call, ChatMessage, Completion, LLMRequest, Usage
from ..domain.verdict import JudgeName
from ..llm.failures import ProviderError
from ..llm.provider import Provider
from .answer import LONGEST, UnreadableAnswer, read
from .prompt import DebatePrompts
from .statement import Floor, Speech, SpeechFailed, Statement

REVISION = 1
"""Raised with every change to how an answer is read."""

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"statement": {"type": "string"}, "score": {"type": "integer"}},
        "required": ["statement", "score"],
        "additionalProperties": False,
    },
    separators=(",", ":"),
)

ROOM = 4
"""How many times the asked length of a statement an answer may take: JSON around it, languages
that need more tokens a word, models that run on. What is cut off is no answer."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is had: the upstream's name and base URL, and the model's name there."""

    upstream: str
    base_url: str
    model: str


class LLMDebater:
    """Asks a model to speak for a role, and once more where its answer cannot be used."""

    def __init__(self, provider: Provider, endpoint: Endpoint, prompts: DebatePrompts) -> None:
        self._provider, self._endpoint, self._prompts = provider, endpoint, prompts
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
            return self._said(floor, first, first.usage)
        except UnreadableAnswer as e:
            problem = str(e)
        # Some servers refuse an empty message.
        answered = ChatMessage("assistant", first.text[-LONGEST:].strip() or "(nothing)")
        second = await self._ask((*messages, answered, self._prompts.repair(problem)), call)
        usage = first.usage + second.usage
        if isinstance(second, ProviderError):
            return self._failed(floor, second.code, f"{problem}; asked again: {second.detail}", usage)
        try:
            return self._said(floor, second, usage)
        except UnreadableAnswer as e:
            return self._failed(
                floor, "unreadable", f"The answer is not usable, nor is its repair: {e}.", usage
            )

    async def _ask(self, messages: tuple[ChatMessage, ...], call: Call) -> Completion | ProviderError:
        request = LLMRequest(
            upstream=self._endpoint.upstream,
            base_url=self._endpoint.base_url,
            model=self._endpoint.model,
            messages=messages,
            schema=SCHEMA,
            temperature=0.0,
            seed=0,
            max_tokens=ROOM * self._prompts.statement_tokens,
        )
        (answer,) = await self._provider.complete([request], call)
        return answer

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
