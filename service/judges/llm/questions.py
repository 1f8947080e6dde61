"""The calls that an inquiry makes: which factors go together, how often, in which layout."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...domain.completion import LLMRequest
from ...domain.rubric import Factor
from ...llm.capability import Capability
from ..inquiry import Grouping, Inquiry, Layout
from .answer_schema import response_schema
from .log_text import render_log
from .material import render_material
from .prompt import Prompt, build_prompt, prefix_length, words_of

ROOM = 4
"""How many times the asked length of its reasons an answer may take, beside `FRAME` tokens for the
rest of it: languages with more tokens a word, models that run on. What is cut off is no answer."""

FRAME = 200
FEWEST_CALLS = 3
"""Warming a shared prefix costs the time of a call: it takes so many to be worth it."""

SURE = 1.1
"""A prefix is judged long enough when the estimate of its length exceeds the bound by a tenth."""


@dataclass(frozen=True, slots=True)
class Question:
    """One call: some factors, asked once. `prompt` is the same for all draws."""

    group: tuple[Factor, ...]
    prompt: Prompt
    request: LLMRequest


def questions_of(
    inquiry: Inquiry, factors: Sequence[Factor], blank: LLMRequest, capability: Capability, tokens: int
) -> list[Question]:
    """The questions about these factors; `blank` names the model, `capability` says what it takes,
    `tokens` how long the reasons for one score are to be."""
    groups = grouped(factors, inquiry.grouping)
    log_text = render_log(inquiry.case.log)
    calls = len(groups) * inquiry.samples
    layout = choose_layout(inquiry.layout, prefix_length(log_text, words_of(tokens)), calls, capability)
    return [
        Question(group, made, request)
        for group in groups
        for made in [_prompt(inquiry, group, log_text, layout, tokens)]
        for request in _draws(inquiry, group, replace(blank, messages=made.messages), tokens)
    ]


def grouped(factors: Sequence[Factor], grouping: Grouping) -> list[tuple[Factor, ...]]:
    """The factors of each call, in the order given."""
    if grouping is Grouping.SEPARATE:
        return [(factor,) for factor in factors]
    groups: dict[object, list[Factor]] = {}
    for factor in factors:
        together = (factor.protocol, factor.dimension) if grouping is Grouping.DIMENSION else None
        groups.setdefault(together, []).append(factor)
    return [tuple(group) for group in groups.values()]


def choose_layout(wanted: Layout, prefix: float, calls: int, capability: Capability) -> Layout:
    """What comes first where nothing was asked for: the log only if the provider will keep a prefix
    of about `prefix` tokens, and there are calls enough to use it."""
    if wanted is not Layout.AUTO:
        return wanted
    shortest = capability.prefix_tokens
    pays = shortest is not None and calls >= FEWEST_CALLS and prefix > SURE * shortest
    return Layout.LOG_FIRST if pays else Layout.FACTOR_FIRST


def _prompt(
    inquiry: Inquiry, group: tuple[Factor, ...], log_text: str, layout: Layout, tokens: int
) -> Prompt:
    material = render_material(inquiry.case, group, inquiry.verdicts)
    domain = inquiry.case.log.domain
    return build_prompt(log_text, material, group, domain=domain, layout=layout, words=words_of(tokens))


def _draws(
    inquiry: Inquiry, group: tuple[Factor, ...], blank: LLMRequest, tokens: int
) -> Iterator[LLMRequest]:
    """One draw as deterministic, several as independent as the model lets them be."""
    for draw in range(inquiry.samples):
        yield replace(
            blank,
            schema=response_schema(group),
            temperature=0.0 if inquiry.samples == 1 else 1.0,
            seed=draw,
            max_tokens=len(group) * (ROOM * tokens + FRAME),
            draw=draw,
        )
