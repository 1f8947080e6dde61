"""Costs of prompts, counted by a real tokeniser."""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.way_tokens import table
from service.domain.rubric import Judging, Protocol
from service.judges.llm.rubrics import instruction

PAGE = Path(__file__).parents[4] / "docs" / "ways-of-judging.md"


@cache
def tokens() -> Any:
    with warnings.catch_warnings():
        # The package reads its own data by a way that the standard library retires.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


def count(text: str) -> int:
    return len(tokens().encode(text, disallowed_special=()))


@pytest.mark.parametrize("protocol", [Protocol.CORE, Protocol.CONCEPT, Protocol.PEPPER])
def test_the_instruction_with_all_rubrics_is_long_enough_for_providers_to_keep(protocol: Protocol) -> None:
    assert count(instruction(90, Judging.RATING, protocol)) > 1.05 * 1024


@pytest.mark.slow
def test_the_page_tells_what_each_way_sends() -> None:
    page = PAGE.read_text(encoding="utf-8")
    stale = [line for line in table() if line not in page]
    assert not stale, "copy the output of `python -m benchmarks.way_tokens` into the page"
