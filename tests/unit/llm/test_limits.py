import asyncio
from collections.abc import Awaitable

import pytest

from service.domain.caller import CALLER
from service.domain.completion import Call, Completion, Usage
from service.llm.failures import (
    Answer,
    BudgetSpent,
    OverBudget,
    Rejected,
    TimedOut,
    Unavailable,
    UnreadableCompletion,
)
from service.llm.limits import Budget, Budgeted, CallSlots, Limited, estimate
from service.store.memory import MemoryStore
from tests.factories import Scripted, ask, known, within
from tests.patience import PATIENCE


def as_caller(who: str, work: Awaitable[object]) -> "asyncio.Task[object]":
    async def run() -> object:
        CALLER.set(who)
        return await work

    return asyncio.create_task(run())


async def test_one_call_of_another_is_not_behind_hundreds() -> None:
    order: list[str] = []
    slots = CallSlots(2)

    async def call(who: str) -> None:
        place = known(await slots.take(None))
        order.append(who)
        await asyncio.sleep(0)
        slots.give_back(place)

    many = [as_caller("many", call("many")) for _ in range(40)]
    await asyncio.sleep(0)
    few = [as_caller(f"few-{n}", call(f"few-{n}")) for n in range(3)]
    await asyncio.gather(*many, *few)
    assert max(order.index(f"few-{n}") for n in range(3)) < 10
    assert slots.taken == 0


async def test_never_more_at_once_than_there_are_places_for_all_who_hold_the_same() -> None:
    upstream, slots = Scripted(pause=0.005), CallSlots(3)
    both = [Limited(upstream, slots), Limited(upstream, slots)]
    found = await asyncio.gather(*(one.complete([ask(draw=n) for n in range(10)], Call()) for one in both))
    assert all(isinstance(answer, Completion) for answers in found for answer in answers)
    assert upstream.peak == 3
    assert slots.stats() == {"in_flight": 0, "queued": 0}


async def test_who_waits_too_long_for_a_place_is_told() -> None:
    upstream, slots = Scripted(pause=0.3), CallSlots(1)
    limited = Limited(upstream, slots)
    answers = await limited.complete([ask(draw=number) for number in range(2)], within(0.05))
    assert isinstance(answers[1], TimedOut)
    assert len(upstream.asked) == 1


async def test_a_caller_that_leaves_gives_its_place_back() -> None:
    upstream, slots = Scripted(pause=5), CallSlots(1)
    task = asyncio.create_task(Limited(upstream, slots).complete([ask()], Call()))
    waiting = asyncio.create_task(Limited(upstream, slots).complete([ask(draw=1)], Call()))
    await asyncio.sleep(0.01)
    waiting.cancel()
    task.cancel()
    await asyncio.gather(task, waiting, return_exceptions=True)
    assert slots.stats()["in_flight"] == 0
    upstream.pause = 0
    [answer] = await Limited(upstream, slots).complete([ask()], within(PATIENCE))
    assert isinstance(answer, Completion)


class Away(MemoryStore):
    """A store that can go away."""

    away = False

    async def count(self, key: str, window: float, amount: int = 1) -> int | None:
        return None if self.away else await super().count(key, window, amount)


def figures(budgeted: Budgeted) -> dict[str, int]:
    return {name.removeprefix("budget:local:"): number for name, number in budgeted.stats().items()}


def made(upstream: Scripted, budget: Budget, store: MemoryStore | None = None, slots: int = 50) -> Budgeted:
    return Budgeted(upstream, CallSlots(slots), {"local": budget}, store or MemoryStore(0))


async def test_calls_wait_for_their_turn_in_the_order_in_which_they_came(upstream: Scripted) -> None:
    budgeted = made(upstream, Budget(calls=4, window=0.5))
    answers = await budgeted.complete([ask(draw=number) for number in range(10)], Call())
    assert all(isinstance(answer, Completion) for answer in answers)
    assert [request.draw for request in upstream.asked] == list(range(10))
    assert figures(budgeted)["waited"] >= 2


async def test_who_cannot_be_served_in_time_is_told_at_once_and_when_to_come_again(
    upstream: Scripted,
) -> None:
    budgeted = made(upstream, Budget(calls=2, window=3600))
    answers = await asyncio.wait_for(
        budgeted.complete([ask(draw=number) for number in range(5)], within(0.1)), timeout=15
    )
    shed = [answer for answer in answers if isinstance(answer, BudgetSpent)]
    assert len(shed) == 3
    assert all(0 < (answer.retry_after or 0) <= 3600 and answer.retryable for answer in shed)
    assert figures(budgeted)["shed"] == 3


async def test_a_line_that_does_not_move_lets_nobody_wait_past_the_deadline(upstream: Scripted) -> None:
    budgeted = made(upstream, Budget(calls=1, window=1e12))
    await budgeted.complete([ask()], Call())
    patient = asyncio.create_task(budgeted.complete([ask(draw=1)], Call()))
    await asyncio.sleep(0.01)
    began = asyncio.get_running_loop().time()
    [answer] = await budgeted.complete([ask(draw=2)], within(30))
    assert isinstance(answer, BudgetSpent)
    assert asyncio.get_running_loop().time() - began < 15
    patient.cancel()
    await asyncio.gather(patient, return_exceptions=True)


async def test_a_call_that_the_whole_budget_does_not_hold_is_not_made(upstream: Scripted) -> None:
    store = Away(0)
    budgeted = made(upstream, Budget(tokens=100), store)
    for store.away in (False, True):
        [answer] = await budgeted.complete([ask(max_tokens=500)], Call())
        assert isinstance(answer, OverBudget)
        assert not answer.retryable
    assert not upstream.asked


async def test_who_waits_for_the_budget_holds_no_place(upstream: Scripted) -> None:
    budgeted = made(upstream, Budget(calls=1, window=1e12), slots=1)
    await budgeted.complete([ask()], Call())
    waiting = asyncio.create_task(budgeted.complete([ask(draw=1)], Call()))
    await asyncio.sleep(0.01)
    [answer] = await budgeted.complete([ask(upstream="other")], within(50))
    assert isinstance(answer, Completion)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        (Completion("yes", "m", Usage(100, 20, 10)), 120),
        (Completion("yes, but its server counts nothing", "m", Usage()), None),
        (UnreadableCompletion("html"), None),
        (Rejected("no"), 0),
        (TimedOut("late"), None),
        (Unavailable("broke off"), None),
        (Unavailable("broke off", usage=Usage(7, 1)), 8),
    ],
)
async def test_tokens_are_corrected_by_what_was_used(answer: Answer, tokens: int | None) -> None:
    store = Counting(0)
    budgeted = made(Scripted([answer]), Budget(tokens=10_000, window=1e12), store)
    request = ask(max_tokens=300)
    await budgeted.complete([request], Call())
    assert store.totals == {"tokens:local:0": estimate(request) if tokens is None else tokens}


class Counting(MemoryStore):
    """A store that shows its counters."""

    @property
    def totals(self) -> dict[str, int]:
        return {key: number for key, (number, _) in self._counters.items()}


async def test_a_call_without_room_for_its_tokens_counts_in_neither_budget() -> None:
    store, request = Counting(0), ask(max_tokens=300)
    budgeted = made(
        Scripted([TimedOut("late")]), Budget(calls=9, tokens=estimate(request) + 10, window=1e12), store
    )
    await budgeted.complete([request], Call())
    [answer] = await budgeted.complete([request], within(1))
    assert isinstance(answer, BudgetSpent)
    assert store.totals == {"calls:local:0": 1, "tokens:local:0": estimate(request)}


async def test_replicas_share_a_budget_and_each_keeps_to_it_alone_while_the_store_is_away() -> None:
    store = Away(0)
    replicas = [made(Scripted(), Budget(calls=2, window=1e12), store) for _ in range(2)]
    for replica in replicas:
        await replica.complete([ask()], Call())
    shed = await replicas[0].complete([ask(draw=1)], within(1))
    store.away = True
    answers = await replicas[0].complete([ask(draw=number) for number in range(2, 5)], within(1))
    assert [type(answer) for answer in [*shed, *answers]] == [
        BudgetSpent,
        Completion,
        Completion,
        BudgetSpent,
    ]
