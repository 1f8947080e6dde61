import asyncio
from collections.abc import AsyncIterator

import pytest

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.verdict import JudgeName, Scored, Verdict
from service.factors import load_factors
from service.judges.inquiry import Case, Inquiry
from service.scoring.score import in_order, score

FACTORS = tuple(load_factors()[slug] for slug in ("coherence", "naturalness", "novelty"))
INQUIRY = Inquiry(Case(ConversationLog((Message(Role.USER, "x"),))), FACTORS)
ONE, TWO = JudgeName("one"), JudgeName("two")


class Gated:
    """Answers once its gate opens; remembers what it was asked and whether it was left."""

    def __init__(self, name: JudgeName, gate: asyncio.Event) -> None:
        self.name, self.gate = name, gate
        self.asked: list[str] = []
        self.left = False

    def refusal(self, inquiry: Inquiry) -> None:
        return None

    async def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]:
        self.asked = [factor.slug for factor in inquiry.factors]
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.left = True
            raise
        for slug in self.asked:
            yield Scored(factor=slug, judge=self.name, evaluator_revision="", score=1, level=1, rationale="")


async def test_each_judge_gets_its_factors_at_once_and_answers_as_it_is_ready() -> None:
    gates = {ONE: asyncio.Event(), TWO: asyncio.Event()}
    judges = {name: Gated(name, gate) for name, gate in gates.items()}
    routes = {"coherence": ONE, "naturalness": TWO, "novelty": ONE}
    gates[TWO].set()
    found: list[Verdict] = []
    async for verdict in score(INQUIRY, routes, judges.__getitem__, Call()):
        found.append(verdict)
        gates[ONE].set()  # only now: the second judge's verdict came without waiting for the first
    assert [verdict.factor for verdict in found] == ["naturalness", "coherence", "novelty"]
    assert judges[ONE].asked == ["coherence", "novelty"]
    assert [verdict.factor for verdict in in_order(found, FACTORS)] == [factor.slug for factor in FACTORS]


async def test_leaving_cancels_what_still_runs() -> None:
    gates = {ONE: asyncio.Event(), TWO: asyncio.Event()}
    judges = {name: Gated(name, gate) for name, gate in gates.items()}
    gates[TWO].set()
    verdicts = score(
        INQUIRY, {"coherence": ONE, "naturalness": TWO, "novelty": ONE}, judges.__getitem__, Call()
    )
    assert (await anext(verdicts)).factor == "naturalness"
    await verdicts.aclose()
    assert judges[ONE].left


async def test_a_judges_defect_is_raised() -> None:
    class Broken:
        name = ONE

        def refusal(self, inquiry: Inquiry) -> None:
            return None

        async def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]:
            raise KeyError("bug")
            yield

    with pytest.raises(ExceptionGroup):
        [
            v
            async for v in score(
                INQUIRY, dict.fromkeys((f.slug for f in FACTORS), ONE), lambda _: Broken(), Call()
            )
        ]
