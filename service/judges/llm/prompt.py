"""The prompt of a question: instruction, rubric, rated examples, log, and in which order; and the form in which a model gives its
verdict, the reasons first, the score last."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...domain.completion import ChatMessage
from ...domain.conversation import ConversationLog
from ...domain.rubric import Factor, Itemised, Judging, Part, Scale, Variant
from ...prompts import prompt, render
from ..inquiry import Example, Layout
from .answer import PARSER_REVISION
from .expected import EXPECTED_REVISION
from .itemised.entries import ENTRIES_REVISION, kinds_of
from .itemised.outline import ITEM_FORMS
from .log_text import LOG_REVISION, message_lines

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


def render_examples(
    examples: Sequence[Example], factors: Sequence[Factor], judged: ConversationLog | None = None
) -> str:
    """Return the examples of these factors; empty where there are none. One with the messages of the log that is `judged` is
    left out: it would give the answer away."""
    wanted = {factor.slug: factor for factor in factors}
    shown = [one for one in examples if one.factor in wanted and not (judged and one.shows(judged.messages))]
    if not shown:
        return ""
    told = ["\n".join(_example_lines(number, one, wanted[one.factor])) for number, one in enumerate(shown, 1)]
    return render(prompt("judge/examples"), examples="\n\n".join(told)).strip()


def _example_lines(number: int, example: Example, factor: Factor) -> Iterator[str]:
    low, high = factor.scale.min, factor.scale.max
    yield f"Example {number}: people gave {example.score:g} for {factor.slug}, on a scale of {low} to {high}."
    yield from message_lines(example.log)


def response_schema(factors: Sequence[Factor]) -> str:
    """The JSON schema of an answer about these factors: one verdict, or one for each under its slug.

    Only words that both providers' strict modes take: no bounds, everything required, nothing
    added."""
    return _schema_of(tuple((factor.slug, factor.scale) for factor in factors))


@lru_cache(maxsize=256)
def _schema_of(factors: tuple[tuple[str, Scale], ...]) -> str:
    if len(factors) == 1:
        return _as_text(_verdict_form(factors[0][1]))
    names = {slug: f"verdict_{scale.min}_{scale.max}" for slug, scale in factors}
    whole = _object_form({slug: {"$ref": f"#/$defs/{name}"} for slug, name in names.items()})
    # Written out for each factor, the form alone would cost a third of a prompt about all of them.
    return _as_text(whole | {"$defs": {names[slug]: _verdict_form(scale) for slug, scale in factors}})


def items_schema(factors: Sequence[Factor], domain: str) -> str:
    """The JSON schema of an answer with lists: one, or one for each factor under its slug."""
    forms = {factor.slug: _items_form(factor, domain) for factor in factors}
    return _as_text(next(iter(forms.values())) if len(forms) == 1 else _object_form(forms))


def _items_form(factor: Factor, domain: str) -> dict[str, Any]:
    asked = factor.itemised
    assert asked is not None
    parts = {key.name: _part_form(part, asked, domain) for part, key in asked.keys.items()}
    entry = parts if asked.form in ITEM_FORMS else {"message": {"type": "integer"}, **parts}
    return _object_form({"items": {"type": "array", "items": _object_form(entry)}})


def _part_form(part: Part, asked: Itemised, domain: str) -> dict[str, Any]:
    match part:
        case Part.APPLIES | Part.HOLDS:
            return {"type": "boolean"}
        case Part.CORRECTED_BY:
            return {"anyOf": [{"type": "integer"}, {"type": "null"}]}
        case Part.KIND:
            return {"type": "string", "enum": list(kinds_of(asked, domain))}
        case Part.CHARACTERISTICS:
            pair = _object_form({"dimension": {"type": "string"}, "value": {"type": "string"}})
            return {"type": "array", "items": pair}
        case _:
            return {"type": "string"}


def _as_text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, separators=(",", ":"))


def _verdict_form(scale: Scale) -> dict[str, Any]:
    quote = _object_form({"message": {"type": "integer"}, "quote": {"type": "string"}})
    score = {"type": "integer", "enum": list(scale.levels)}
    return _object_form(
        {
            "rationale": {"type": "string"},
            "evidence": {"type": "array", "items": quote},
            "assessable": {"type": "boolean"},
            "score": {"anyOf": [score, {"type": "null"}]},
        }
    )


def _object_form(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
