"""Asking a language model for one structured answer on behalf of a simulated user."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..domain.completion import NO_USAGE, Call, ChatMessage, Completion, LLMRequest, Usage
from ..domain.verdict import JudgeName
from ..errors import CrsEvalError, DeadlineExceeded, UpstreamFailed
from ..llm.failures import ProviderError, Refused, TimedOut, TruncatedCompletion, UnreadableCompletion
from ..llm.provider import Provider
from ..prompts import render

SEED = 42
LONGEST = 20_000
MOST_BRACES = 200
PROMPTS = Path(__file__).parent / "prompts"
_CONTENT_FAILURES = (Refused, TruncatedCompletion, UnreadableCompletion)


class Form(BaseModel):
    """The answer that is asked for. Fields are required; what a model adds is let pass."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)


F = TypeVar("F", bound=Form)


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
    """Where a model is had, and the room for an answer."""

    upstream: str
    base_url: str
    model: str
    max_tokens: int = 1_000


@dataclass(frozen=True, slots=True)
class LLMAsker:
    """Asks through a provider, at temperature 0 with a fixed seed, as both papers do; once more,
    with what was wrong, where the answer cannot be read."""

    provider: Provider
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
        request = LLMRequest(
            upstream=self.endpoint.upstream,
            base_url=self.endpoint.base_url,
            model=self.endpoint.model,
            messages=messages,
            schema=schema_of(form),
            temperature=0.0,
            seed=SEED,
            max_tokens=self.endpoint.max_tokens,
            draw=draw,
        )
        readable = replace(call, accept=lambda _, completion: _is_readable(completion.text, form))
        (answer,) = await self.provider.complete([request], readable)
        if isinstance(answer, Completion):
            return replace(answer, usage=answer.usage + answer.lost)
        if isinstance(answer, _CONTENT_FAILURES):
            return Unanswered(answer.code, answer.detail, answer.usage)
        raise _unreachable(answer, self.name)


@cache
def prompt(name: str) -> str:
    """The text of a prompt file."""
    return (PROMPTS / f"{name}.txt").read_text(encoding="utf-8").strip()


def read(text: str, form: type[F]) -> F:
    """The last JSON object of an answer that fits the form; words and fences around it are let
    pass. Raises ValueError, saying what is wrong, where there is none."""
    problem = "it holds no JSON object"
    for value in reversed(list(_objects(text[-LONGEST:]))):
        try:
            return form.model_validate(_printable(value))
        except ValidationError as wrong:
            first = wrong.errors()[0]
            problem = f'"{".".join(str(part) for part in first["loc"])}": {first["msg"]}'
    raise ValueError(problem)


def schema_of(form: type[Form]) -> str:
    """The JSON schema of a form as providers take it: nothing optional, nothing referred to."""
    whole = form.model_json_schema()
    return json.dumps(_plain(whole, whole.get("$defs", {})), separators=(",", ":"))


def _plain(part: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_plain(one, definitions) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _plain(definitions[part["$ref"].rsplit("/", 1)[-1]], definitions)
    kept = {key: value for key, value in part.items() if key in _SCHEMA_WORDS}
    plain = {key: _plain(value, definitions) for key, value in kept.items() if key != "properties"}
    if "properties" in part:
        plain["properties"] = {name: _plain(one, definitions) for name, one in part["properties"].items()}
        plain |= {"required": list(part["properties"]), "additionalProperties": False}
    return plain


_SCHEMA_WORDS = frozenset({"type", "properties", "items", "anyOf", "enum", "description"})
"""Bounds are left out: several providers refuse them. They are checked when the answer is read."""


def _unreachable(failure: ProviderError, name: JudgeName) -> CrsEvalError:
    wrong = DeadlineExceeded if isinstance(failure, TimedOut) else UpstreamFailed
    return wrong(
        f"The simulated user's model {name} gave no answer: {failure.detail}", retry_after=failure.retry_after
    )


def _is_readable(text: str, form: type[Form]) -> bool:
    try:
        read(text, form)
    except ValueError:
        return False
    return True


def _printable(value: Any) -> Any:
    """An escaped half of a surrogate pair is legal JSON, and cannot be sent on as UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_printable(one) for one in value]
    if isinstance(value, dict):
        return {key: _printable(one) for key, one in value.items()}
    return value


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text, in order."""
    decoder = json.JSONDecoder(strict=False)  # models leave raw newlines in strings
    at = text.find("{")
    for _ in range(MOST_BRACES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):  # a ValueError also for a number of thousands of digits
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict):
            yield value
        at = text.find("{", end)
