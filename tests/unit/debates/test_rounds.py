"""The rounds, against the protocol: scripted debaters, every way a debate can go."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from service.debates.embedded import EmbeddedDebater
from service.debates.rounds import Budget, Terms
from service.debates.statement import (
    Debater,
    DebateSubject,
    Participant,
    Round,
    SpeakerContext,
    Speech,
    Statement,
)
from service.domain.completion import Call, Usage
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.parts import ToolResult
from service.errors import BudgetExceeded, DeadlineExceeded, InvalidRequest, NothingToDebate, UpstreamFailed
from service.judges.evaluation import JudgeInput
from tests.factories import instance
from tests.unit.debates.scripted import (
    FACTORS,
    ROLES,
    Scripted,
    failed,
    finish,
    log,
    participants_of,
    subject_of,
    verdict,
)

Script = Sequence[int | None]


@dataclass(frozen=True)
class Course:
    """Four scripts, and what the protocol says comes of them."""

    scripts: tuple[Script, Script, Script, Script]
    rounds: int
    overall: float
    converged: bool
    counted: int = 4


COURSES = {
    "converges in round 1": Course(([70], [70], [70], [70]), 1, 70, True),
    "converges in round 2": Course(([40, 55], [80, 55], [55, 55], [60, 55]), 2, 55, True),
    "converges in the last round": Course(([10, 20, 30, 40], [40] * 4, [40] * 4, [40] * 4), 4, 40, True),
    "never converges": Course(([10, 20, 30, 40], [90, 80, 70, 60], [50] * 4, [55] * 4), 4, 51.25, False),
    "a dissenter who never moves": Course(
        ([60, 50, 45, 40], [70, 55, 40, 40], [40] * 4, [0] * 4), 4, 30, False
    ),
    "fails in round 2, back in round 3": Course(
        ([50] * 4, [60, 50, 50, 50], [50] * 4, [70, None, 50, 50]), 3, 50, True
    ),
    "equal scores while a role is missing": Course(([50, 50], [50, 50], [50, 50], [None, 50]), 2, 50, True),
    "one role fails in the last round": Course(
        ([50] * 4, [60] * 4, [70] * 4, [90, 90, 90, None]), 4, 60, False, 3
    ),
    "two fail in round 1, back in round 2": Course(([50, 60], [50, 60], [None, 60], [None, 60]), 2, 60, True),
}


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES.keys())
async def test_a_debate_goes_as_the_protocol_says(course: Course) -> None:
    debate = await finish(subject_of(), participants_of(ROLES, *course.scripts), Terms(), Call())
    assert len(debate.rounds) == course.rounds
    assert debate.overall == pytest.approx(course.overall)
    assert debate.converged is course.converged
    assert debate.roles_counted == course.counted
    assert [r.number for r in debate.rounds] == list(range(1, course.rounds + 1))
    assert all(len(r.speeches) == 4 for r in debate.rounds)


async def test_three_custom_roles_need_all_three() -> None:
    debate = await finish(subject_of(), participants_of(ROLES[:3], [50], [50], [50]), Terms(), Call())
    assert debate.roles_counted == 3
    with pytest.raises(UpstreamFailed, match=f"{ROLES[2].slug}: refused") as failure:
        await finish(
            subject_of(), participants_of(ROLES[:3], [50], [50], [None]), Terms(max_rounds=1), Call()
        )
    assert failure.value.retryable


async def test_five_roles_agree_in_the_main_only_from_four_on() -> None:
    def said(*scores: int) -> Round:
        judge = Scripted([]).name
        speeches = [Statement(role=str(i), judge=judge, score=s, statement="") for i, s in enumerate(scores)]
        return Round(1, tuple(speeches), len(scores))

    assert said(5, 5, 5, 5, 9).major_agree
    assert not said(5, 5, 5, 9, 9).major_agree
    assert said(5, 5, 5, 5, 5, 5, 9, 9).major_agree


class Endless(Scripted):
    """Never answers; knows whether it was asked, and whether it was stopped."""

    def __init__(self) -> None:
        super().__init__([])
        self.asked = asyncio.Event()
        self.stopped = False

    async def speak(self, context: SpeakerContext, call: Call) -> Speech:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped = True
        raise AssertionError("never reached")


async def test_a_model_that_scored_and_debates_is_warned_of() -> None:
    scorer = Scripted([], "openai:fast").name
    subject = DebateSubject.of(
        JudgeInput(log()), [verdict("coherence", 3, scorer), verdict("novelty", 3)], FACTORS
    )
    names = ["builtin", "openai:fast", "openai:other", "openai:fast"]
    participants = [
        Participant(role, Scripted([50] * 4, name)) for role, name in zip(ROLES, names, strict=True)
    ]
    debate = await finish(subject, participants, Terms(), Call())
    assert [w.code for w in debate.warnings] == ["same_model_scored_and_debated"]
    assert debate.warnings[0].detail.startswith("openai:fast ")


async def test_a_budget_spent_by_the_scoring_ends_before_any_call() -> None:
    participants = participants_of(ROLES, [50], [50], [50], [50])
    with pytest.raises(BudgetExceeded) as caught:
        await finish(subject_of(), participants, Terms(budget=Budget(tokens=99), spent=Usage(90, 10)), Call())
    assert caught.value.partial == {"rounds": (), "usage": Usage(90, 10)}
    assert all(not participant.debater.contexts for participant in participants)  # type: ignore[attr-defined]


async def test_a_round_that_cannot_fit_is_not_begun() -> None:
    participants = participants_of(ROLES, [10] * 4, [20] * 4, [30] * 4, [40] * 4)
    with pytest.raises(BudgetExceeded) as caught:
        await finish(subject_of(), participants, Terms(budget=Budget(tokens=1279)), Call())
    rounds = instance(tuple, caught.value.partial["rounds"])
    assert len(rounds) == 2
    assert caught.value.partial["usage"] == Usage(800, 80)


async def test_a_budget_exceeded_within_a_round_stops_the_others() -> None:
    participants = [
        Participant(ROLES[0], Scripted([50])),
        *(Participant(role, Endless()) for role in ROLES[1:]),
    ]
    with pytest.raises(BudgetExceeded) as caught:
        await finish(subject_of(), participants, Terms(budget=Budget(tokens=100)), Call())
    assert all(instance(Endless, participant.debater).stopped for participant in participants[1:])
    rounds = instance(tuple, caught.value.partial["rounds"])
    assert dict(rounds[0].scores) == {ROLES[0].slug: 50}
    assert not rounds[0].all_agree
    assert caught.value.partial["usage"] == Usage(100, 10)


async def test_a_budget_in_cost_needs_prices_and_holds() -> None:
    terms = Terms(budget=Budget(cost=0.05))
    with pytest.raises(InvalidRequest, match=r"^/budget/cost: "):
        await finish(subject_of(), participants_of(ROLES, [50], [50], [50], [50]), terms, Call())
    dear = [Participant(role, Scripted([50], usage=Usage(100, 10, cost=0.02))) for role in ROLES]
    with pytest.raises(BudgetExceeded):
        await finish(subject_of(), dear, terms, Call())
    free = [Participant(role, Scripted([50], usage=Usage())) for role in ROLES]
    assert (await finish(subject_of(), free, terms, Call())).overall == 50


async def test_the_deadline_ends_the_debate_with_the_rounds_so_far() -> None:
    class LateInRoundTwo(Scripted):
        async def speak(self, context: SpeakerContext, call: Call) -> Speech:
            if context.number == 2:
                await asyncio.Event().wait()
            return await super().speak(context, call)

    participants = [
        *participants_of(ROLES[:3], [10] * 4, [20] * 4, [30] * 4),
        Participant(ROLES[3], LateInRoundTwo([40] * 4)),
    ]
    deadline = asyncio.get_running_loop().time() + 1.0
    with pytest.raises(DeadlineExceeded) as caught:
        await finish(subject_of(), participants, Terms(), Call(deadline=deadline))
    rounds = instance(tuple, caught.value.partial["rounds"])
    assert [len(r.scores) for r in rounds] == [4, 3]


async def test_a_caller_that_leaves_stops_the_round() -> None:
    participants = [Participant(role, Endless()) for role in ROLES]
    task = asyncio.create_task(finish(subject_of(), participants, Terms(), Call()))
    await asyncio.gather(
        *(instance(Endless, participant.debater).asked.wait() for participant in participants)
    )
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all(instance(Endless, participant.debater).stopped for participant in participants)


async def test_nothing_scored_is_nothing_to_debate() -> None:
    participants = participants_of(ROLES, [50], [50], [50], [50])
    unassessable = DebateSubject.of(JudgeInput(log()), [verdict("novelty", None)], FACTORS)
    with pytest.raises(NothingToDebate) as caught:
        await finish(unassessable, participants, Terms(), Call())
    assert "novelty" in caught.value.detail
    assert [error.detail for error in caught.value.errors] == ["missing: novelty"]
    broken = DebateSubject.of(JudgeInput(log()), [verdict("novelty", None), failed("coherence")], FACTORS)
    with pytest.raises(UpstreamFailed):
        await finish(broken, participants, Terms(), Call())


LONG = ConversationLog(
    (
        Message(Role.USER, "Jackets, please."),
        Message(Role.TOOL, "", parts=(ToolResult("x" * 25_000),)),
        *(
            Message(Role.ASSISTANT, "These:", tuple(f"Jacket {reply}-{n}" for n in range(50)))
            for reply in range(9)
        ),
    ),
    ground_truth=tuple(f"Coat {n}" for n in range(120)),
)


async def codes(log: ConversationLog, debater: Debater) -> list[str]:
    subject = DebateSubject.of(JudgeInput(log, list_cutoff=50), [verdict("coherence", 3)], FACTORS)
    debate = await finish(subject, [Participant(role, debater) for role in ROLES], Terms(), Call())
    return [one.detail for one in debate.warnings if one.code == "material_cut"]


async def test_models_are_distinguished_from_rules() -> None:
    details = " ".join(await codes(LONG, Scripted([60] * 4, "scripted:one")))
    for part in (
        "400 of 450 items",
        "24000 of 25000 characters",
        "100 of 450 items",
        "100 of 120 wanted items",
    ):
        assert part in details
    assert not await codes(LONG, EmbeddedDebater())
