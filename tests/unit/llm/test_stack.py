import pytest

from service.domain.completion import Call, Usage
from service.llm.failures import (
    ProviderError,
    RateLimited,
    TimedOut,
    Unauthorised,
    Unavailable,
    UnreadableCompletion,
)
from service.llm.stack import ATTEMPTS, UNREADABLE_ATTEMPTS, Retrying
from tests.factories import Scripted, ask, within
from tests.patience import PATIENCE


class Sleeps(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.mark.parametrize(
    ("failure", "attempts"),
    [
        (Unavailable("down"), ATTEMPTS),
        (UnreadableCompletion("html"), UNREADABLE_ATTEMPTS),
        (Unauthorised("key"), 1),
        (RateLimited("quota", retryable=False), 1),
    ],
)
async def test_failures_are_retried_as_long_as_it_makes_sense(failure: ProviderError, attempts: int) -> None:
    upstream = Scripted(lambda request: failure)
    [answer] = await Retrying(upstream, Sleeps()).complete([ask()], Call())
    assert len(upstream.asked) == attempts
    assert type(answer) is type(failure)
    assert (f"({attempts} attempts)" in answer.detail) == (attempts > 1)


@pytest.mark.parametrize(("seconds", "expected"), [(0.9, Unavailable), (60, TimedOut)])
async def test_a_last_attempt_cut_short_does_not_hide_why_the_others_failed(
    seconds: float, expected: type[ProviderError]
) -> None:
    upstream = Scripted([Unavailable("500", usage=Usage(50, 1)), *[TimedOut("late")] * ATTEMPTS])
    [answer] = await Retrying(upstream, Sleeps()).complete([ask()], within(seconds))
    assert type(answer) is expected
    assert answer.usage == Usage(50, 1)
    assert f"({len(upstream.asked)} attempts)" in answer.detail


@pytest.mark.parametrize(
    ("wish", "seconds", "asked", "slept"), [(7, PATIENCE, 2, (7, 7.5)), (60, 30, 1, None)]
)
async def test_the_providers_wish_is_honoured_within_the_deadline(
    wish: float, seconds: float, asked: int, slept: tuple[float, float] | None
) -> None:
    upstream, sleeps = Scripted([RateLimited("429", retry_after=wish)]), Sleeps()
    [answer] = await Retrying(upstream, sleeps).complete([ask()], within(seconds))
    assert len(upstream.asked) == asked
    if slept is None:
        assert isinstance(answer, RateLimited)
        assert not sleeps
    else:
        assert slept[0] <= sleeps[0] <= slept[1]
