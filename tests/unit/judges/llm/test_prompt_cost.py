"""Costs of prompts, counted by a real tokeniser."""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.way_tokens import table
from service.domain.completion import LLMRequest
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Factor, Judging, Protocol
from service.factors import load_factors
from service.judges.inquiry import Case, Grouping, Inquiry
from service.judges.llm.questions import Question, questions_of
from service.judges.llm.rubrics import instruction
from service.llm.capability import Capability

PAGE = Path(__file__).parents[4] / "docs" / "ways-of-judging.md"
CORE = load_factors().of(Protocol.CORE)
TALK = (
    "Tense, without much blood.",
    "Then The Quiet Tide may suit you.",
    "Seen it, sorry.",
    "How about Glass Harbour?",
)
LOG = ConversationLog(
    messages=tuple(
        Message(Role.ASSISTANT if index % 2 else Role.USER, text, ("Glass Harbour",) if index == 3 else ())
        for index, text in enumerate(TALK)
    ),
    ground_truth=("Glass Harbour",),
)
CASE = Case(LOG)


@cache
def tokens() -> Any:
    with warnings.catch_warnings():
        # The package reads its own data by a way that the standard library retires.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


def count(text: str) -> int:
    return len(tokens().encode(text, disallowed_special=()))


def ask(factors: tuple[Factor, ...], grouping: Grouping = Grouping.SEPARATE) -> list[Question]:
    inquiry = Inquiry(CASE, factors, grouping=grouping)
    return questions_of(inquiry, factors, LLMRequest("u", "b", "m", ()), Capability(), 200)


def cost(question: Question) -> int:
    return sum(count(message.content) for message in question.request.messages)


@pytest.mark.parametrize("protocol", [Protocol.CORE, Protocol.CONCEPT, Protocol.PEPPER])
def test_the_instruction_with_all_rubrics_is_long_enough_for_providers_to_keep(protocol: Protocol) -> None:
    assert count(instruction(90, Judging.RATING, protocol)) > 1.05 * 1024


def test_all_factors_in_one_call_cost_less_than_half() -> None:
    def sent(questions: list[Question]) -> int:
        return sum(cost(question) + count(question.request.schema or "") for question in questions)

    # The user's true wishes are in a call of their own, with the one factor that reads them.
    together = ask(CORE, Grouping.ALL)
    assert len(together) == 2
    assert sent(together) <= 0.46 * sent(ask(CORE))


@pytest.mark.slow
def test_the_page_tells_what_each_way_sends() -> None:
    page = PAGE.read_text(encoding="utf-8")
    stale = [line for line in table() if line not in page]
    assert not stale, "copy the output of `python -m benchmarks.way_tokens` into the page"
