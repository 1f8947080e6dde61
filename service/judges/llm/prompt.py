"""The prompt of a question, in one order: instruction, rated examples, log, what a factor needs besides, and the question.

Prompts share their beginning: the instruction with all logs, and up to the end of the log with all factors of one log. Providers
keep it between calls."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...domain.completion import ChatMessage
from ...domain.conversation import ConversationLog
from ...domain.modes import Judging, Variant
from ...domain.rubric import Factor
from ...faults import load_faults
from ...prompts import prompt, render
from ..evaluation import Example
from .answer import PARSER_REVISION
from .expected import EXPECTED_REVISION
from .faulted.scoring import FAULTS_REVISION
from .itemised.entries import ENTRIES_REVISION
from .itemised.outline import NO_OUTLINE, Outline
from .log_text import LOG_REVISION, message_lines
from .rubrics import fault_instruction, fault_task, instruction, named_domain, notes, rubric, shared_protocol
from .schemas import fault_schema, items_schema, response_schema

RATING_FORM = '{"evidence": [{"message": number, "quote": text}], "rationale": text, "score": number or null}'


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question as it is sent. `text_hash` tells two prompts apart, 16 hex digits."""

    messages: tuple[ChatMessage, ...]
    text_hash: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The way in which factors are asked about. `shared`: the instruction holds all rubrics of their protocol; else the question
    holds theirs."""

    domain: str
    words: int
    judging: Judging = Judging.RATING
    shared: bool = False
    anchors: bool = False


def build_prompt(
    log_text: str,
    material: str,
    factors: Sequence[Factor],
    wording: Wording,
    *,
    examples: str = "",
    outline: Outline = NO_OUTLINE,
    faulted: Sequence[Factor] = (),
) -> Prompt:
    """Return the prompt about these factors. Marks are set where shared beginnings end: after the instruction and the log. With
    `faulted`, the factors judged by faults, the prompt asks for those, and for lists on the other factors."""
    if faulted:
        return _fault_prompt(
            "\n\n".join(filter(None, (log_text, material))), faulted, factors, wording, outline
        )
    protocol = shared_protocol(factors) if wording.shared else None
    opening = instruction(wording.words, wording.judging, protocol, anchors=wording.anchors)
    own = [] if protocol else [rubric(one, wording.judging, anchors=wording.anchors) for one in factors]
    asked = "\n\n".join(
        filter(None, [material, *own, _question(factors, wording, outline, shared=protocol is not None)])
    )
    return _prompt_of(
        (
            ChatMessage("system", opening, prefix_ends=True),
            *([ChatMessage("user", examples)] if examples else ()),
            ChatMessage("user", log_text, prefix_ends=True),
            ChatMessage("user", asked),
        )
    )


def _fault_prompt(
    log: str, faulted: Sequence[Factor], lists: Sequence[Factor], wording: Wording, outline: Outline
) -> Prompt:
    slugs = tuple(factor.slug for factor in faulted)
    asked = [fault_task(slugs)]
    if lists:
        asked.append(
            render(
                prompt("judge/faults_lists"),
                factors=", ".join(factor.slug for factor in lists),
                notes=notes(lists, wording.domain),
                form="\n".join(_list_form(factor, outline, named=True) for factor in lists),
            )
        )
    return _prompt_of(
        (
            ChatMessage("system", fault_instruction(slugs, lists), prefix_ends=True),
            ChatMessage("user", log),
            ChatMessage("user", "\n\n".join(asked)),
        )
    )


def _question(factors: Sequence[Factor], wording: Wording, outline: Outline, *, shared: bool) -> str:
    """Return what is asked after the log: about which factors, and the form of the answer."""
    several = len(factors) > 1
    rating = wording.judging is Judging.RATING
    forms = [RATING_FORM] if rating else [_list_form(factor, outline, named=several) for factor in factors]
    if rating and several:
        forms = [f'{{"factor": {RATING_FORM}}}']
    return render(
        prompt("judge/rating_asked" if rating else "judge/items_asked"),
        factors=", ".join(factor.slug for factor in factors),
        rubrics="their rubrics" if several else "its rubric",
        each=" that holds one object for each factor, under the factor's name" if several else "",
        notes=(named_domain if shared else notes)(factors, wording.domain),
        form="\n".join(forms),
    )


def _list_form(factor: Factor, outline: Outline, *, named: bool) -> str:
    lead = f"{factor.slug}: " if named else ""
    keys = outline.described_keys(factor)
    if keys is not None:
        return f'{lead}{{"items": {{number: entry, ...}}}} with one entry under each of these numbers: {keys}'
    first = (
        '. Each entry begins with "message", the number of the message'
        if outline.has_messages(factor)
        else ""
    )
    return (
        f'{lead}{{"items": [entry, ...], "replies_read": number}}. "replies_read" is the number of the recommender\'s messages '
        f'under "Interaction" that you have read; do not count messages that only call a tool{first}'
    )


def _prompt_of(messages: tuple[ChatMessage, ...]) -> Prompt:
    return Prompt(messages, _digest([(message.role, message.content) for message in messages])[:16])


def evaluator_revision(
    factor: Factor,
    wording: Wording,
    variant: Variant = Variant.CRS_EVAL,
    *,
    expected: bool = False,
    examples: str = "",
    beside_faults: bool = False,
) -> str:
    """12 hex of SHA-256 over everything that affects a verdict except the
    model: scores compare only where it is equal. `examples` is what the prompt shows of rated conversations, and `beside_faults`
    says that the answer holds a list beside its faults."""
    if wording.judging is Judging.FAULTS:
        return _faults_revision(factor)
    own: tuple[str, ...] = () if variant is Variant.CRS_EVAL else (variant.value,)
    own += (examples,) if examples else ()
    own += (_faults_revision(factor),) if beside_faults else ()
    own += (f"expected {EXPECTED_REVISION}",) if expected else ()
    [opening, *_, question] = build_prompt("", "", [factor], wording).messages
    schema = response_schema([factor])
    if wording.judging is Judging.ITEMISED:
        ladders = repr(sorted((name, ladder) for name, ladder in factor.ladders.items()))
        kinds = repr(factor.itemised and sorted(factor.itemised.kinds_in(wording.domain).items()))
        own = (*own, ladders, kinds, str(ENTRIES_REVISION))
        schema = items_schema([factor], Outline(wording.domain, (), frozenset(), (), None))
    return _revision((opening.content, question.content, schema, *own))


@lru_cache(maxsize=512)
def _revision(texts: tuple[str, ...]) -> str:
    return _digest([PARSER_REVISION, LOG_REVISION, prompt("judge/repair"), *texts])[:12]


def _faults_revision(factor: Factor) -> str:
    """Return the revision of scores by faults: of the list of faults that concerns this factor, and of all costs."""
    slugs = (factor.slug,)
    lists = [prompt("judge/items"), prompt("judge/faults_lists")]
    texts = [fault_instruction(slugs), fault_task(slugs), fault_schema(slugs), prompt("judge/repair"), *lists]
    ladders = repr(sorted((name, ladder) for name, ladder in factor.ladders.items()))
    revisions = [FAULTS_REVISION, PARSER_REVISION, LOG_REVISION, load_faults().revision]
    return _digest([revisions, texts, ladders])[:12]


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
    texts = ["\n".join(_example_lines(n, one, wanted[one.factor])) for n, one in enumerate(shown, 1)]
    return render(prompt("judge/examples"), examples="\n\n".join(texts)).strip()


def _example_lines(number: int, example: Example, factor: Factor) -> Iterator[str]:
    low, high = factor.scale.min, factor.scale.max
    yield f"Example {number}: people gave {example.score:g} for {factor.slug}, on a scale of {low} to {high}."
    yield from message_lines(example.log)
