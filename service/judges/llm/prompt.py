"""The prompt of a question: instruction, rubric, log, and in which order."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...domain.completion import ChatMessage
from ...domain.rubric import Factor, Judging, Variant
from ...prompts import prompt, render
from ..inquiry import Layout
from .answer import PARSER_REVISION
from .answer_schema import items_schema, response_schema
from .expected import EXPECTED_REVISION
from .itemised.entries import ENTRIES_REVISION
from .itemised.outline import ITEM_FORMS
from .log_text import LOG_REVISION

WORDS_PER_TOKEN = 0.75
CHARACTERS_PER_TOKEN = 4.0
"""Sizes of English text in today's tokenisers; other languages have more tokens, so that a prefix
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
def instruction(several: bool, words: int, judging: Judging = Judging.RATING) -> str:
    """Return what every prompt begins with; `several` factors in one call need an object for each."""
    number = "many" if several else "one"
    if judging is Judging.RATING:
        task = render(prompt(f"judge/rating_{number}"), words=str(words))
    else:
        task = prompt(f"judge/items_{number}")
    return render(
        prompt("judge/instruction"),
        what="the rubrics of several factors" if several else "the rubric of one factor",
        rubrics="each rubric" if several else "the rubric",
        task=task,
    )


def rubric(factor: Factor, domain: str, judging: Judging = Judging.RATING, *, anchors: bool = False) -> str:
    """A factor's rubric with its note for a domain: with levels and steps, and worked examples where wanted, or with the
    list that is wanted."""
    if judging is Judging.ITEMISED:
        return _listing(_Same(factor), domain)
    return _rubric(_Same(factor), factor.note(domain), anchors)


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
def _rubric(key: _Same, note: str | None, anchors: bool) -> str:
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
        anchors=_anchors(factor) if anchors else "",
    )


def _anchors(factor: Factor) -> str:
    """The worked examples of a factor, best first, and the one that tells it from another."""
    lines = [
        f"- Level {one.level}. {one.talk}\n  Why: {one.why}"
        for one in sorted(factor.anchors, key=lambda one: -one.level)
    ]
    if factor.contrast:
        lines.append(f"- Not {factor.contrast.factor}. {factor.contrast.talk}\n  Why: {factor.contrast.why}")
    head = "\n\nWorked examples (U is the user, R the recommender; they are not part of the log)"
    return "\n".join([head, *lines]) if lines else ""


@lru_cache(maxsize=512)
def _listing(key: _Same, domain: str) -> str:
    factor, asked, note = key.factor, key.factor.itemised, key.factor.note(domain)
    assert asked is not None
    named = [(key.name, key.say) for key in asked.keys.values()]
    if asked.form not in ITEM_FORMS:
        named.insert(0, ("message", "the number of the message"))
    return render(
        prompt("judge/listing"),
        slug=factor.slug,
        name=factor.name,
        rates=factor.rates,
        definition=factor.definition,
        asks=asked.asks,
        keys="\n".join(f'- "{name}": {say}' for name, say in named),
        excludes="\n".join(f"- {excluded}" for excluded in factor.excludes),
        note=f"\n\nIn this domain\n{note}" if note else "",
    )


def prefix_length(log_text: str, words: int) -> float:
    """About how many tokens all prompts about a log share at their beginning when the log comes first."""
    return (len(instruction(False, words)) + len(log_text)) / CHARACTERS_PER_TOKEN


def build_prompt(
    log_text: str,
    material: str,
    factors: Sequence[Factor],
    *,
    domain: str,
    layout: Layout,
    words: int,
    judging: Judging = Judging.RATING,
    examples: str = "",
    anchors: bool = False,
) -> Prompt:
    """The prompt about these factors, with rated examples after the rubrics. With the log first, the mark of the shared prefix
    is at its end."""
    rubrics = "\n\n".join(
        filter(None, [*(rubric(f, domain, judging, anchors=anchors) for f in factors), examples])
    )
    opening = ChatMessage("system", instruction(len(factors) > 1, words, judging))
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
def _revision(rubric_text: str, schema: str, words: int, judging: Judging, own: tuple[str, ...]) -> str:
    told = [instruction(several, words, judging) for several in (False, True)]
    reader = PARSER_REVISION if judging is Judging.RATING else [PARSER_REVISION, ENTRIES_REVISION]
    return _digest([reader, LOG_REVISION, *told, rubric_text, schema, prompt("judge/repair"), *own])[:12]


def evaluator_revision(
    factor: Factor,
    domain: str,
    words: int,
    variant: Variant = Variant.CRS_EVAL,
    judging: Judging = Judging.RATING,
    *,
    expected: bool = False,
    examples: str = "",
    anchors: bool = False,
) -> str:
    """12 hex of SHA-256 over all that makes a verdict of an answer, and an answer of a log, but the
    model: scores compare only where it is equal. `examples` is what the prompt shows of rated conversations."""
    own: tuple[str, ...] = () if variant is Variant.CRS_EVAL else (variant.value,)
    own += (examples,) if examples else ()
    if expected:
        own = (*own, f"expected {EXPECTED_REVISION}")
    if judging is Judging.RATING:
        told = rubric(factor, domain, anchors=anchors)
        return _revision(told, response_schema([factor]), words, judging, own)
    ladders = repr(sorted((name, ladder) for name, ladder in factor.ladders.items()))
    kinds = repr(factor.itemised and sorted(factor.itemised.kinds_in(domain).items()))
    schema = items_schema([factor], domain)
    return _revision(rubric(factor, domain, judging), schema, words, judging, (*own, ladders, kinds))


def _digest(parts: object) -> str:
    text = json.dumps(parts, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
