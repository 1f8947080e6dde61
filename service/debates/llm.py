"""A debater that is a language model, whatever its provider."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from weakref import WeakValueDictionary

from ..domain.completion import NO_USAGE, Call, LLMRequest, Usage
from ..domain.verdict import JudgeName
from ..judges.llm.answer import Unreadable, last_object
from ..judges.llm.log_text import LOG_REVISION
from ..judges.llm.schemas import as_text, object_schema
from ..llm.answer_text import printable
from ..llm.failures import Answer, ProviderError, TruncatedCompletion
from ..llm.repair import Completer, ask_with_repair, request_to
from .prompt import DebatePrompts
from .statement import BEST, WORST, SpeakerContext, Speech, SpeechFailed, Statement

REVISION = 2
"""Raised with every change to how a model is asked or its answer read."""

SCHEMA = as_text(object_schema({"statement": {"type": "string"}, "score": {"type": "integer"}}))

WARMED = 2_500
"""Length of conversation and ratings, in characters, from which one role opens the first round alone."""

ROOM, FRAME = 4, 200
"""The multiple of a statement's asked length that an answer may take, beside tokens for the JSON
around it: languages that need more tokens a word, models that run on. What is cut off is no answer."""


class LLMDebater:
    """Asks a model to speak for a role, and once more where its answer cannot be used. `prompts`
    says how long a statement is asked to be.

    Raises ValueError for a name without a model."""

    def __init__(self, models: Completer, name: JudgeName, base_url: str, prompts: DebatePrompts) -> None:
        self._models, self._prompts = models, prompts
        self._blank = request_to(
            name,
            base_url,
            schema=SCHEMA,
            temperature=0.0,
            seed=0,
            max_tokens=ROOM * prompts.statement_tokens + FRAME,
        )
        self.name = name
        self._opening: WeakValueDictionary[int, asyncio.Event] = WeakValueDictionary()

    @property
    def revision(self) -> str:
        """12 hex digits over the prompts' texts, the schema, and how answers are read."""
        parts = [
            f"{REVISION}/{LOG_REVISION}",
            SCHEMA,
            str(self._prompts.words),
            *self._prompts.texts.values(),
        ]
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:12]

    async def speak(self, context: SpeakerContext, call: Call) -> Speech:
        """Return what the model says for the role; `SpeechFailed` where it cannot be reached, refuses, or
        gives nothing usable twice."""
        *messages, last = self._prompts.messages(context)
        # The next round's prompt begins with all of this one, and the other roles' prompts with all but the role.
        request = replace(self._blank, messages=(*messages, replace(last, prefix_ends=True)))
        async with self._in_turn(context, request):
            first, *seconds = await ask_with_repair(self._models, request, call, read, self._prompts.repair)
        outcome = self._outcome(context, first, NO_USAGE)
        if isinstance(outcome, Statement) or not seconds:
            return outcome
        second = self._outcome(context, seconds[0], outcome.usage)
        if isinstance(second, SpeechFailed):
            return replace(second, detail=f"{outcome.detail}; asked again: {second.detail}")
        return replace(second, warmer=isinstance(first, TruncatedCompletion))

    @asynccontextmanager
    async def _in_turn(self, context: SpeakerContext, request: LLMRequest) -> AsyncIterator[None]:
        """Wait for a turn. In the first round about a long subject the first role's answer makes the provider keep what all roles read."""
        known = self._opening.get(id(context.subject))
        if context.number > 1 or context.subject.own_ratings or len(request.messages[1].content) < WARMED:
            yield
        elif known is not None:
            await known.wait()
            yield
        else:
            known = self._opening[id(context.subject)] = asyncio.Event()
            try:
                yield
            finally:
                known.set()

    def _outcome(self, context: SpeakerContext, answer: Answer, before: Usage) -> Speech:
        """Turn an answer into a speech; `before` is an earlier attempt's cost."""
        usage = before + answer.spent
        if isinstance(answer, ProviderError):
            return self._failed(context, answer.code, answer.detail, usage)
        found = read(answer.text)
        if isinstance(found, str):
            return self._failed(context, "unreadable", f"the answer cannot be read: {found}", usage)
        return Statement(
            role=context.role.slug,
            judge=self.name,
            score=found[1],
            statement=found[0],
            model=answer.model,
            cached=answer.cached,
            usage=usage,
        )

    def _failed(self, context: SpeakerContext, code: str, detail: str, usage: Usage) -> SpeechFailed:
        return SpeechFailed(role=context.role.slug, judge=self.name, code=code, detail=detail, usage=usage)


def read(text: str) -> tuple[str, int] | str:
    """Return the statement and the score (0-100) of an answer's last JSON object with a score. For an answer
    without one, return a sentence that tells the model why. Text around the object is ignored; "70" and 70.0
    are 70."""
    last = last_object(text, {"score"}, "score")
    if isinstance(last, Unreadable):
        return last.problem
    statement, score = last.get("statement"), _score(last["score"])
    if not isinstance(statement, str) or not statement.strip():
        return '"statement" is missing or empty'
    if score is None:
        return f'"score" is not a whole number from {WORST} to {BEST}'
    return printable(statement.strip()), score


def _score(value: object) -> int | None:
    number = None
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            number = float(value)
    if number is None or not WORST <= number <= BEST or number != int(number):
        return None
    return int(number)
