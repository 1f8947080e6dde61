"""Count the tokens of each way of asking a model: the twelve factors of CoRE on the example logs, counted by
a real tokeniser (o200k). Prints the table of `docs/ways-of-judging.md`.

    python -m benchmarks.way_tokens
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from service.comparison.model import ModelComparer
from service.comparison.preference import Shown
from service.domain.completion import Call, LLMRequest
from service.domain.modes import Variant
from service.domain.verdict import JudgeName
from service.judges.evaluation import EvaluationRequest, Grouping, JudgeInput
from service.judges.llm.judge import find_gap, find_hit
from service.judges.llm.questions import questions_of
from service.llm.capability import Capability
from service.llm.failures import Answer, TimedOut

from .prompt_tokens import CORE, example_logs, input_of, tokens_sent

RATIONALE_TOKENS = 120


@dataclass(frozen=True)
class Way:
    """One way of asking, with the layout of its calls."""

    name: str
    grouping: Grouping | None = None
    variant: Variant = Variant.CRS_EVAL
    itemised: bool = False
    faults: bool = False
    anchors: bool = False
    judges: int = 1


WAYS = (
    Way("the paper's layout: `variant: published`, one call per factor", variant=Variant.PUBLISHED),
    Way("rating, one call per factor (default); `expected` is the same"),
    Way("a mixture: the same, each factor to its own model"),
    Way("a panel of three", judges=3),
    Way("rating, `grouping: dimension`", Grouping.DIMENSION),
    Way("rating, `grouping: all`", Grouping.ALL),
    Way("rating with `anchors`", anchors=True),
    Way("rating with `anchors`, `grouping: all`", Grouping.ALL, anchors=True),
    Way("itemised, one call per factor", itemised=True),
    Way("itemised, `grouping: all`", Grouping.ALL, itemised=True),
    Way("faults, one call", faults=True),
    Way("faults, `grouping: dimension`", Grouping.DIMENSION, faults=True),
)
PAIRS = "pairs (`/compare`), overall too, in both orders: a pair of logs"


def sent(judge_input: JudgeInput, way: Way) -> tuple[int, int]:
    """The calls for one log, and the tokens that they send, schemas included."""
    asked = EvaluationRequest(
        judge_input,
        tuple(factor.read_as(way.variant) for factor in CORE),
        grouping=way.grouping,
        variant=way.variant,
        itemised=frozenset(factor.slug for factor in CORE if way.itemised),
        faults=frozenset(factor.slug for factor in CORE if way.faults),
        anchors=way.anchors,
    )
    factors = [factor for factor in asked.factors if not (find_gap(asked, factor) or find_hit(asked, factor))]
    evaluation = replace(asked, factors=tuple(factors))
    questions = questions_of(
        evaluation, factors, LLMRequest("u", "b", "m", ()), Capability(), RATIONALE_TOKENS
    )
    return way.judges * len(questions), way.judges * sum(tokens_sent(each.request) for each in questions)


class _Silent:
    """Keeps what is asked, and answers nothing."""

    def __init__(self) -> None:
        self.asked: list[LLMRequest] = []

    async def complete(self, requests: Sequence[LLMRequest], _: Call) -> list[Answer]:
        self.asked += requests
        return [TimedOut("nobody answers") for _ in requests]


async def compared(judge_input: JudgeInput) -> tuple[int, int]:
    """The calls for a pair of logs as long as this one, and the tokens that they send."""
    models = _Silent()
    comparer = ModelComparer(models, JudgeName("u", "m"), "b", RATIONALE_TOKENS)
    for factor in (*CORE, None):
        await comparer.prefer((judge_input, judge_input), factor, tuple(Shown), Call())
    return len(models.asked), sum(map(tokens_sent, models.asked))


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    logs = list(map(input_of, example_logs()))
    figures = {way.name: [sent(judge_input, way) for judge_input in logs] for way in WAYS}
    figures[PAIRS] = [asyncio.run(compared(judge_input)) for judge_input in logs]
    paper = sum(tokens for _, tokens in figures[WAYS[0].name])
    yield "| way | calls a log | tokens sent a log | against the paper's layout |"
    yield "| --- | --- | --- | --- |"
    for name, found in figures.items():
        calls, tokens = (sum(column) / len(logs) for column in zip(*found, strict=True))
        yield f"| {name} | {calls:.1f} | {tokens:,.0f} | {tokens * len(logs) / paper:.2f} |"


if __name__ == "__main__":
    print("\n".join(table()))
