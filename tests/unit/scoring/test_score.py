import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.domain.completion import Call, Usage
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Protocol, Scale
from service.domain.verdict import (
    Evidence,
    Failed,
    Flag,
    JudgeName,
    NotAssessable,
    Scored,
    Verdict,
    each_judge,
)
from service.factors import load_factors
from service.judges.evaluation import EvaluationRequest, JudgeInput
from service.scoring.mixture import Aggregate
from service.scoring.score import Panel, combine_panel, comparison_key, in_order, score
from service.scoring.summary import summarise
from tests import factories
from tests.factories import instance

NAMES = tuple(JudgeName("local", model) for model in ("a", "b", "c"))
SCALE = Scale(0, 4)
PANEL = Panel(NAMES)


def scored(name: JudgeName, score: float, **fields: Any) -> Scored:
    known = {
        "evaluator_revision": f"r-{name.model}",
        "level": int(score),
        "method": "rating",
        "usage": Usage(10, 2),
    }
    reasons = f"{name.model} gave reasons"
    return factories.scored("coherence", score, name, **{**known, "rationale": reasons, **fields})


def failed(name: JudgeName, code: str = "timed_out") -> Failed:
    return factories.failed("coherence", name, code=code, usage=Usage(3))


def gap(name: JudgeName) -> NotAssessable:
    return factories.gap("coherence", name, missing=("items",))


def test_the_mean_and_the_median_of_the_members() -> None:
    flag = Flag("steering_attempt", "orders", 1)
    members = [
        scored(NAMES[0], 1, flags=(flag,)),
        scored(NAMES[1], 4, evidence=(Evidence(1, "words", None),)),
        scored(NAMES[2], 4, flags=(flag,)),
    ]
    mean, median = (
        combine_panel(PANEL, members, SCALE),
        combine_panel(Panel(NAMES, Aggregate.MEDIAN), members, SCALE),
    )
    assert isinstance(mean, Scored)
    assert isinstance(median, Scored)
    assert (mean.score, mean.level, median.score) == (3, 3, 4)
    assert mean.samples.scores == (1, 4, 4)
    assert mean.samples.spread == 3
    assert mean.confidence == pytest.approx(1 - 2**0.5 / 2)
    assert (mean.panel, mean.flags) == (tuple(members), (flag,))
    assert mean.usage == Usage(30, 6)
    assert (
        mean.rationale
        == "The mean of 3 judges: local:a 1, local:b 4, local:c 4. local:b says: b gave reasons"
    )
    assert mean.evidence == (Evidence(1, "words", None),)
    assert str(mean.judge) == "panel:mean(local:a + local:b + local:c)"
    assert str(median.judge) == "panel:median(local:a + local:b + local:c)"
    assert mean.evaluator_revision != median.evaluator_revision
    assert mean.method == "rating"
    assert list(each_judge([mean, members[0]])) == [*members, members[0]]


def test_more_gaps_than_scores_are_no_score() -> None:
    found = instance(
        NotAssessable, combine_panel(PANEL, [gap(NAMES[0]), gap(NAMES[1]), scored(NAMES[2], 3)], SCALE)
    )
    assert found.missing == ("items",)
    assert "2 of 3" in found.detail
    split = instance(
        Scored, combine_panel(PANEL, [gap(NAMES[0]), failed(NAMES[1]), scored(NAMES[2], 3)], SCALE)
    )
    assert {flag.code for flag in split.flags} == {"panel_member_left_out", "panel_member_failed"}
    assert any("local:b" in flag.detail and "timed_out" in flag.detail for flag in split.flags)
    assert (split.samples.requested, split.samples.n, split.usage.input_tokens) == (3, 1, 13)


FACTORS = tuple(load_factors()[slug] for slug in ("coherence", "naturalness", "novelty"))
INQUIRY = EvaluationRequest(JudgeInput(ConversationLog((Message(Role.USER, "x"),))), FACTORS)
ONE, TWO = JudgeName("one"), JudgeName("two")


class Gated:
    """Answers once its gate opens; remembers what it was asked and whether it was left."""

    def __init__(self, name: JudgeName, gate: asyncio.Event) -> None:
        self.name, self.gate = name, gate
        self.asked: list[str] = []
        self.left = False

    def refusal(self, evaluation: EvaluationRequest) -> None:
        return None

    async def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]:
        self.asked = [factor.slug for factor in evaluation.factors]
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
    assignments = {"coherence": ONE, "naturalness": TWO, "novelty": ONE}
    gates[TWO].set()
    found: list[Verdict] = []
    async for verdict in score(INQUIRY, assignments, judges.__getitem__, Call()):
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


JUDGE = JudgeName("openai", "m-1")


def rated(factor: str, score: float, judge: JudgeName = JUDGE, revision: str = "a" * 12) -> Scored:
    return factories.scored(factor, score, judge, evaluator_revision=revision)


def test_means_are_over_scored_factors_alone() -> None:
    verdicts: list[Verdict] = [
        rated("coherence", 3),
        factories.failed("recoverability"),
        factories.gap("novelty"),
        rated("diversity", 1),
    ]
    (summary,) = summarise(verdicts, load_factors())
    assert summary.protocol == Protocol.CORE
    assert (summary.mean, summary.total) == (2, 4)
    assert (summary.assessed, summary.not_assessable, summary.failed) == (2, 1, 1)
    assert summary.dimensions == {"dialogue-actions": 3, "recommended-items": 1}


def test_the_key_is_of_revisions_judges_and_options_and_of_nothing_else() -> None:
    options = {"samples": 1, "catalog": None}
    key = comparison_key([rated("coherence", 1), rated("diversity", 2)], options)
    assert key == comparison_key([rated("diversity", 4), rated("coherence", 0)], options)
    assert len(key) == 16
    others = [
        comparison_key([rated("coherence", 1)], options),
        comparison_key([rated("coherence", 1), rated("diversity", 2, JudgeName("openai", "m-2"))], options),
        comparison_key([rated("coherence", 1), rated("diversity", 2, revision="b" * 12)], options),
        comparison_key([rated("coherence", 1), rated("diversity", 2)], {**options, "samples": 2}),
        comparison_key([rated("coherence", 1), rated("diversity", 2)], {**options, "catalog": "x"}),
    ]
    assert len({key, *others}) == 6
