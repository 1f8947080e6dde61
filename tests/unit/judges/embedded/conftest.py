"""Logs written as scripts, and the judge asked about them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from service.catalogue.catalogue import Catalogue
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item
from service.domain.verdict import Verdict
from service.factors import load_factors
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

FACTORS = load_factors()


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


async def ask_about(
    log: ConversationLog,
    factor: str,
    *,
    items: Iterable[Item] = (),
    verdicts: tuple[Verdict, ...] = (),
    source: ListSource = ListSource.AUTO,
) -> Any:
    """The embedded judge's verdict of one factor about a log."""
    judge_input = JudgeInput(log, Catalogue.over(tuple(items), None), list_source=source)
    evaluation = EvaluationRequest(judge_input, (FACTORS[factor],), verdicts=verdicts)
    (verdict,) = [verdict async for verdict in EmbeddedJudge().ask(evaluation, Call())]
    return verdict


async def ask(
    script: Iterable[str],
    factor: str,
    *,
    items: Iterable[Item] = (),
    source: ListSource = ListSource.AUTO,
    domain: str = "movie",
    **log: Any,
) -> Any:
    """The same about a script."""
    return await ask_about(log_of(script, domain=domain, **log), factor, items=items, source=source)
