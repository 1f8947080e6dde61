"""Logs written as scripts, and the judge asked about them."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from service.catalogue.catalogue import Catalogue
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item
from service.domain.verdict import Verdict
from service.factors import FactorCatalogue, load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.evaluation import EvaluationRequest, JudgeInput, ListSource
from tests.factories import talk

ITEMS = (
    Item(
        "Copper Canyon (1950)",
        attributes={"genre": ("western", "drama"), "director": ("Ada Lindqvist",)},
        popularity=0.9,
    ),
    Item(
        "Blue Harbour (1999)", attributes={"genre": ("horror",), "director": ("Tom Reyes",)}, popularity=0.2
    ),
    Item(
        "The Long Way (2004)",
        attributes={"genre": ("comedy", "romance"), "director": ("Mei Tanaka",)},
        popularity=0.6,
    ),
    Item(
        "Winter Orchard (2011)",
        attributes={"genre": ("comedy",), "director": ("Ada Lindqvist",)},
        popularity=0.4,
    ),
    Item("Paper Lanterns (2015)", attributes={"genre": ("animation", "family"), "director": ("Ken Mori",)}),
)


def log_of(
    script: Iterable[str], lists: dict[int, tuple[str, ...]] | None = None, **rest: Any
) -> ConversationLog:
    """A log from lines such as "U: hello" and "A: hi"."""
    log = talk(*script, **rest)
    messages = (
        replace(message, recommendations=(lists or {}).get(index), id=f"m{index}")
        for index, message in enumerate(log.messages)
    )
    return replace(log, messages=tuple(messages))


@pytest.fixture(scope="session")
def factors() -> FactorCatalogue:
    return load_factors()


@pytest.fixture
def make_log() -> Callable[..., ConversationLog]:
    """Builds a log from a script."""
    return log_of


@pytest.fixture
def films() -> tuple[Item, ...]:
    return ITEMS


@pytest.fixture
def ask_about(factors: FactorCatalogue) -> Callable[..., Awaitable[Verdict]]:
    """Asks the judge about a log; answers the verdict of one factor."""

    async def asked(
        log: ConversationLog,
        factor: str,
        *,
        items: Iterable[Item] = (),
        verdicts: tuple[Verdict, ...] = (),
        source: ListSource = ListSource.AUTO,
    ) -> Verdict:
        judge_input = JudgeInput(log, Catalogue.over(tuple(items), None), list_source=source)
        evaluation = EvaluationRequest(judge_input, (factors[factor],), verdicts=verdicts)
        (verdict,) = [verdict async for verdict in EmbeddedJudge().ask(evaluation, Call())]
        return verdict

    return asked


@pytest.fixture
def ask(ask_about: Callable[..., Awaitable[Verdict]]) -> Callable[..., Awaitable[Verdict]]:
    """Asks the judge about a script."""

    async def asked(
        script: Iterable[str],
        factor: str,
        *,
        items: Iterable[Item] = (),
        source: ListSource = ListSource.AUTO,
        domain: str = "movie",
        **log: Any,
    ) -> Verdict:
        return await ask_about(log_of(script, domain=domain, **log), factor, items=items, source=source)

    return asked
