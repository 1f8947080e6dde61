"""The prompt of a question: instruction, rubric, log, and in which order."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...domain.completion import ChatMessage
from ...domain.rubric import Factor
from ...prompts import prompt, render
from ..inquiry import Layout
from .answer import PARSER_REVISION
from .answer_schema import response_schema
from .log_text import LOG_REVISION

WORDS_PER_TOKEN = 0.75
CHARACTERS_PER_TOKEN = 4.0
"""What English text has in today's tokenisers; other languages have more tokens, so that a prefix
judged long enough is."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question as it is sent. `text_hash` tells two prompts apart, 16 hex digits."""

    messages: tuple[ChatMessage, ...]
    text_hash: str


def words_of(tokens: int) -> int:
    """A length in words, as a model is asked for it."""
    return max(20, round(tokens * WORDS_PER_TOKEN))


@lru_cache(maxsize=32)
def instruction(several: bool, words: int) -> str:
    """What every prompt begins with; `several` factors in one call need an object for each."""
    answer = prompt("judge/answer_many" if several else "judge/answer_one")
    what = "the rubrics of several factors" if several else "the rubric of one factor"
    return render(prompt("judge/instruction"), what=what, words=str(words), answer=answer)


def rubric(factor: Factor, domain: str) -> str:
    """A factor's rubric with its note for a domain."""
    return _rubric(_Same(factor), factor.note(domain))


class _Same:
    """A factor as a key: the object itself, whose mappings have no hash."""

    __slots__ = ("factor",)

    def __init__(self, factor: Factor) -> None:
        self.factor = factor

    def __hash__(self) -> int:
        return id(self.factor)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.factor is other.factor


@lru_cache(maxsize=512)
def _rubric(key: _Same, note: str | None) -> str:
    factor = key.factor
    return render(
        prompt("judge/rubric"),
        slug=factor.slug,
        name=factor.name,
        rates=factor.rates,
        definition=factor.definition,
        levels="\n".join(f"{level}: {factor.levels[level]}" for level in reversed(factor.scale.levels)),
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(factor.steps, 1)),
        excludes="\n".join(f"- {excluded}" for excluded in factor.excludes),
        note=f"\n\nIn this domain\n{note}" if note else "",
    )


def prefix_length(log_text: str, words: int) -> float:
    """About how many tokens all prompts about a log share at their beginning when the log comes first."""
    return (len(instruction(False, words)) + len(log_text)) / CHARACTERS_PER_TOKEN


def build_prompt(
    log_text: str, material: str, factors: Sequence[Factor], *, domain: str, layout: Layout, words: int
) -> Prompt:
    """The prompt about these factors. With the log first, the mark of the shared prefix is at its end."""
    rubrics = "\n\n".join(rubric(factor, domain) for factor in factors)
    opening = ChatMessage("system", instruction(len(factors) > 1, words))
    if layout is Layout.LOG_FIRST:
        rest = "\n\n".join(part for part in (material, rubrics) if part)
        body = [ChatMessage("user", log_text, prefix_ends=True), ChatMessage("user", rest)]
    else:
        body = [ChatMessage("user", "\n\n".join(part for part in (rubrics, log_text, material) if part))]
    messages = (opening, *body)
    return Prompt(messages, _text_hash(messages))


def _text_hash(messages: Sequence[ChatMessage]) -> str:
    return _digest([(message.role, message.content) for message in messages])[:16]


@lru_cache(maxsize=512)
def _revision(rubric_text: str, schema: str, words: int) -> str:
    parts = [PARSER_REVISION, LOG_REVISION, instruction(False, words), instruction(True, words)]
    return _digest([*parts, rubric_text, schema, prompt("judge/repair")])[:12]


def evaluator_revision(factor: Factor, domain: str, words: int) -> str:
    """12 hex of SHA-256 over all that makes a verdict of an answer, and an answer of a log, but the
    model: scores compare only where it is equal."""
    return _revision(rubric(factor, domain), response_schema([factor]), words)


def _digest(parts: object) -> str:
    text = json.dumps(parts, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
