"""The calls that an inquiry makes: which factors go together, how often, in which layout."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...domain.completion import LLMRequest
from ...domain.rubric import Factor, Judging
from ...llm.capability import Capability
from ..inquiry import Case, Grouping, Inquiry, Layout
from .examples import render_examples
from .itemised.outline import Outline, outline_of
from .log_text import has_tools, render_log, sees_tools
from .material import confided, render_material
from .prompt import Prompt, build_prompt, prefix_length, words_of
from .readers import ExpectedReader, ListReader, RatingReader, Reader

ROOM = 4
"""The multiple of its reasons' asked length that an answer may take, beside `FRAME` tokens for the
rest of it: languages with more tokens a word, models that run on. What is cut off is no answer."""

FRAME = 200
FEWEST_CALLS = 3
"""Warming a shared prefix costs the time of a call: it takes so many to be worth it."""

MOST_ALTERNATIVES = 20
"""Tokens beside the chosen one whose probabilities are asked for: the most that servers give."""

SURE = 1.1
"""A prefix is judged long enough when the estimate of its length exceeds the bound by a tenth."""


@dataclass(frozen=True, slots=True)
class Question:
    """One call: some factors, asked once. `prompt` is the same for all draws; `reader` reads the answer."""

    group: tuple[Factor, ...]
    prompt: Prompt
    request: LLMRequest
    reader: Reader


def questions_of(
    inquiry: Inquiry, factors: Sequence[Factor], blank: LLMRequest, capability: Capability, tokens: int
) -> list[Question]:
    """The questions about these factors; `blank` names the model, `capability` says what it takes,
    `tokens` how long the reasons for one score are to be."""
    groups = [
        group
        for judging in Judging
        for group in grouped(
            [factor for factor in factors if inquiry.judging(factor) is judging],
            inquiry.grouping,
            inquiry.case,
        )
    ]
    outline = outline_of(inquiry.case) if inquiry.itemised else None
    log_text = render_log(inquiry.case)
    with_tools = render_log(inquiry.case, tools=True) if has_tools(inquiry.case.log) else log_text
    calls = len(groups) * inquiry.samples
    layout = choose_layout(inquiry.layout, prefix_length(log_text, words_of(tokens)), calls, capability)
    return [
        Question(group, made, request, reader)
        for group in groups
        for made in [_prompt(inquiry, group, with_tools if sees_tools(group) else log_text, layout, tokens)]
        for reader in [_reader(inquiry, group, outline)]
        for request in _draws(inquiry, group, replace(blank, messages=made.messages), tokens, reader)
    ]


def grouped(factors: Sequence[Factor], grouping: Grouping, case: Case) -> list[tuple[Factor, ...]]:
    """The factors of each call, in the order given. What only some factors may see (the wanted items, the user's
    preferences and feelings, other scores) is in no call with the others."""
    if grouping is Grouping.SEPARATE:
        return [(factor,) for factor in factors]
    groups: dict[object, list[Factor]] = {}
    for factor in factors:
        together = (factor.protocol, factor.dimension) if grouping is Grouping.DIMENSION else None
        groups.setdefault((together, confided(case, factor), _reads_tools(case, factor)), []).append(factor)
    return [tuple(group) for group in groups.values()]


def _reads_tools(case: Case, factor: Factor) -> bool:
    return sees_tools((factor,)) and has_tools(case.log)


def choose_layout(wanted: Layout, prefix: float, calls: int, capability: Capability) -> Layout:
    """Return what comes first where nothing was asked for: the log only if the provider will keep a prefix
    of about `prefix` tokens, and there are calls enough to use it."""
    if wanted is not Layout.AUTO:
        return wanted
    shortest = capability.prefix_tokens
    pays = shortest is not None and calls >= FEWEST_CALLS and prefix > SURE * shortest
    return Layout.LOG_FIRST if pays else Layout.FACTOR_FIRST


def _prompt(
    inquiry: Inquiry, group: tuple[Factor, ...], log_text: str, layout: Layout, tokens: int
) -> Prompt:
    material = render_material(inquiry.case, group, inquiry.verdicts, inquiry.scales)
    domain = inquiry.case.log.domain
    return build_prompt(
        log_text,
        material,
        group,
        domain=domain,
        layout=layout,
        words=words_of(tokens),
        judging=inquiry.judging(group[0]),
        anchors=inquiry.anchors,
        examples=render_examples(inquiry.examples, group, inquiry.case.log),
    )


def _reader(inquiry: Inquiry, group: tuple[Factor, ...], outline: Outline | None) -> Reader:
    if outline is not None and inquiry.judging(group[0]) is Judging.ITEMISED:
        return ListReader(group, outline, inquiry.case)
    return ExpectedReader(group) if inquiry.expected else RatingReader(group)


def _draws(
    inquiry: Inquiry, group: tuple[Factor, ...], blank: LLMRequest, tokens: int, reader: Reader
) -> Iterator[LLMRequest]:
    """One draw as deterministic, several as independent as the model lets them be."""
    for draw in range(inquiry.samples):
        yield replace(
            blank,
            schema=reader.schema,
            temperature=0.0 if inquiry.samples == 1 else 1.0,
            seed=draw,
            max_tokens=len(group) * (ROOM * tokens + FRAME) + reader.room,
            logprobs=MOST_ALTERNATIVES if isinstance(reader, ExpectedReader) else None,
            draw=draw,
        )
