from service.store.breaker import FAILURES_TO_OPEN, LONGEST_PAUSE, PAUSE, Breaker
from tests.unit.store.clock import Clock


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock)
    for _ in range(FAILURES_TO_OPEN):
        assert breaker.allows()
        breaker.failed()
    return breaker


def test_opens_after_failures_in_a_row_only() -> None:
    breaker = Breaker(Clock())
    for _ in range(FAILURES_TO_OPEN - 1):
        assert not breaker.failed()
    breaker.succeeded()
    for _ in range(FAILURES_TO_OPEN - 1):
        assert not breaker.failed()
    assert breaker.closed
    assert breaker.failed()
    assert not breaker.closed


def test_an_outage_is_announced_once() -> None:
    breaker = Breaker(Clock())
    assert [breaker.failed() for _ in range(6)].count(True) == 1
    assert breaker.succeeded()
    assert not breaker.succeeded()


def test_open_it_lets_nobody_through_until_the_pause_is_over_then_one() -> None:
    clock = Clock()
    breaker = opened(clock)
    assert not breaker.allows()
    clock.now += PAUSE
    assert [breaker.allows(), breaker.allows()] == [True, False]
    breaker.abandoned()  # the next one may probe
    assert breaker.allows()
    assert breaker.succeeded()
    assert breaker.closed
    assert breaker.allows()


def test_a_probe_that_fails_doubles_the_pause_up_to_a_bound() -> None:
    clock = Clock()
    breaker = opened(clock)
    pause = PAUSE
    for _ in range(6):
        clock.now += pause - 0.01
        assert not breaker.allows()
        clock.now += 0.01
        assert breaker.allows()
        assert not breaker.failed()
        pause = min(pause * 2, LONGEST_PAUSE)
    assert pause == LONGEST_PAUSE
