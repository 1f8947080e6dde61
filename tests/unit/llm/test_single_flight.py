import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from service.domain.completion import CacheMode, Call, Completion, LLMRequest, Usage
from service.llm.failures import Answer, TimedOut, Unavailable
from service.llm.single_flight import GRACE, SingleFlight
from tests.patience import PATIENCE
from tests.unit.llm.conftest import Scripted, ask, within


async def test_fifty_identical_requests_make_one_call() -> None:
    upstream = Scripted(pause=0.01)
    flights = SingleFlight(upstream)
    answers = await asyncio.gather(*(flights.complete([ask()], Call()) for _ in range(50)))
    assert len(upstream.asked) == 1
    assert len({answer[0].text for answer in answers if isinstance(answer[0], Completion)}) == 1
    usages = [answer[0].usage for answer in answers]
    assert sum(usage.input_tokens for usage in usages) == 100
    assert sum(usage.saved_tokens for usage in usages) == 49 * 120
    assert flights.stats() == {"shared": 49, "flights": 0}


async def test_different_requests_and_modes_share_nothing() -> None:
    upstream = Scripted(pause=0.01)
    flights = SingleFlight(upstream)
    calls = [
        (ask(), Call()),
        (ask(draw=1), Call()),
        (ask(), Call(cache=CacheMode.REFRESH)),
        (ask(), Call(cache=CacheMode.OFF)),
        (ask(), Call(cache=CacheMode.OFF)),
    ]
    await asyncio.gather(*(flights.complete([request], call) for request, call in calls))
    assert len(upstream.asked) == 5


async def test_a_failure_is_shared_but_its_cost_told_once() -> None:
    upstream = Scripted(lambda request: Unavailable("down", retryable=False, usage=Usage(10)), pause=0.01)
    flights = SingleFlight(upstream)
    answers = await asyncio.gather(*(flights.complete([ask()], Call()) for _ in range(5)))
    assert len(upstream.asked) == 1
    assert sum(answer[0].usage.input_tokens for answer in answers) == 10


async def test_a_caller_that_leaves_takes_nothing_from_the_others() -> None:
    upstream = Scripted(pause=0.05)
    flights = SingleFlight(upstream)
    first = asyncio.create_task(flights.complete([ask()], Call()))
    await asyncio.sleep(0)
    second = asyncio.create_task(flights.complete([ask()], Call()))
    await asyncio.sleep(0.01)
    first.cancel()
    [answer] = await second
    assert isinstance(answer, Completion)
    assert (len(upstream.asked), upstream.cancelled) == (1, 0)


async def test_the_last_one_to_leave_cancels_the_call() -> None:
    upstream = Scripted(pause=10)
    flights = SingleFlight(upstream)
    tasks = [asyncio.create_task(flights.complete([ask()], Call())) for _ in range(3)]
    await asyncio.sleep(0.01)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0)
    assert (upstream.cancelled, flights.stats()["flights"]) == (1, 0)
    upstream.pause = 0
    [answer] = await flights.complete([ask()], Call())
    assert isinstance(answer, Completion)


class Explaining:
    """Knows at the deadline why there is no answer, and takes some turns of the loop to say so."""

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(call.deadline):
                await asyncio.Event().wait()
        for _ in range(20):
            await asyncio.sleep(0)
        return [Unavailable("the provider answered 500", retryable=False) for _ in requests]

    async def aclose(self) -> None: ...

    def stats(self) -> Mapping[str, int]:
        return {}


async def test_a_loop_that_stands_still_at_the_deadline_hides_no_reason() -> None:
    call = within(0.1)
    assert call.deadline is not None
    loop = asyncio.get_running_loop()
    loop.call_at(call.deadline - 0.02, time.sleep, 4 * GRACE)
    [answer] = await SingleFlight(Explaining()).complete([ask()], call)
    assert answer == Unavailable("the provider answered 500", retryable=False)


async def test_a_joiner_with_less_time_leaves_and_the_flight_goes_on() -> None:
    upstream = Scripted(pause=0.3)
    flights = SingleFlight(upstream)
    first = asyncio.create_task(flights.complete([ask()], within(PATIENCE)))
    await asyncio.sleep(0.01)
    [late] = await flights.complete([ask()], within(0.02))
    assert isinstance(late, TimedOut)
    assert isinstance((await first)[0], Completion)


async def test_a_joiner_with_more_time_asks_again_when_the_first_ran_out_of_it() -> None:
    outcomes = [TimedOut("late"), None]
    upstream = Scripted(
        lambda request: outcomes.pop(0) or Completion("at last", "m", Usage(1, 1)), pause=0.05
    )
    flights = SingleFlight(upstream)
    first = asyncio.create_task(flights.complete([ask()], within(0.06)))
    await asyncio.sleep(0.01)
    [patient] = await flights.complete([ask()], within(PATIENCE))
    assert isinstance((await first)[0], TimedOut)
    assert isinstance(patient, Completion)
    assert len(upstream.asked) == 2


async def test_closing_cancels_what_is_in_flight() -> None:
    upstream = Scripted(pause=10)
    flights = SingleFlight(upstream)
    task = asyncio.create_task(flights.complete([ask()], Call()))
    await asyncio.sleep(0.01)
    await flights.aclose()
    assert upstream.closed
    with suppress(asyncio.CancelledError):
        await task
    assert upstream.cancelled == 1
    assert not [other for other in asyncio.all_tasks() if other.get_name() == "llm call"]


async def test_a_call_that_is_to_be_kept_is_finished_though_everyone_left() -> None:
    upstream = Scripted(pause=0.05)
    flights = SingleFlight(upstream, finishes=True)
    caller = asyncio.create_task(flights.complete([ask()], Call()))
    await asyncio.sleep(0.01)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    [joined] = await flights.complete([ask()], Call())
    assert isinstance(joined, Completion)
    assert joined.cached
    assert (len(upstream.asked), upstream.cancelled) == (1, 0)
    alone = asyncio.create_task(flights.complete([ask(draw=1)], Call()))
    await asyncio.sleep(0.01)
    alone.cancel()
    await flights.aclose()
    assert (len(upstream.asked), upstream.cancelled) == (2, 0)
