import math

from hypothesis import given, settings
from hypothesis import strategies as st

from service.store.ledger import LEAST_PACE, LIVE, RECOVERY, SLOTS, Ask, Budget, Ledger
from tests.factories import Clock

WINDOW = 60.0


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("take"), st.integers(0, 400)),
        st.tuples(st.just("wait"), st.floats(0, 70, allow_nan=False)),
        st.tuples(st.just("ease"), st.floats(0, 20, allow_nan=False)),
    ),
    max_size=120,
)


@given(STEPS, st.integers(1, 12), st.integers(1, 1500))
@settings(max_examples=150)
def test_no_window_ever_holds_more_than_the_budget(
    steps: list[tuple[str, float]], calls: int, tokens: int
) -> None:
    clock = Clock()
    ledger = Ledger(WINDOW, clock)
    granted: list[tuple[float, int]] = []
    for step, number in steps:
        if step == "wait":
            clock.now += number
        elif step == "ease":
            ledger.ease(number)
        else:
            grant = ledger.take(Ask(Budget(calls, tokens, WINDOW), int(number)))
            assert (grant.wait == math.inf) == (number > tokens)
            if not grant.wait:
                granted.append((clock.now, int(number)))
        ledger = Ledger(WINDOW, clock, ledger.dump())
        inside = [spent for at, spent in granted if at > clock.now - WINDOW]
        assert len(inside) <= calls
        assert sum(inside) <= tokens


@given(STEPS, st.integers(1, 12), st.integers(400, 1500))
@settings(max_examples=100)
def test_who_asks_again_when_told_to_gets_its_call_in_time(
    steps: list[tuple[str, float]], calls: int, tokens: int
) -> None:
    clock = Clock()
    ledger = Ledger(WINDOW, clock)
    budget = Budget(calls, tokens, WINDOW)
    for step, number in steps:
        if step == "wait":
            clock.now += number
        elif step == "ease":
            ledger.ease(number)
        else:
            ledger.take(Ask(budget, int(number)))
    asked = clock.now
    while wait := ledger.take(Ask(budget, 400)).wait:
        clock.now += wait
        # At worst a pause, then all that was spent leaves, then the pace comes back.
        assert clock.now - asked <= (1 + LIVE / SLOTS + RECOVERY) * WINDOW


def test_tokens_that_were_not_used_are_free_again() -> None:
    ledger = Ledger(WINDOW, Clock())
    ask = Ask(Budget(tokens=1000), 800)
    grant = ledger.take(ask)
    assert ledger.take(ask).wait > 0
    ledger.settle(grant.slot, -700)
    assert ledger.take(ask).wait == 0
    assert ledger.spent() == (2, 900)


def test_a_complaint_halves_the_pace_at_most_once_a_slot_and_it_comes_back_evenly() -> None:
    clock = Clock()
    ledger = Ledger(WINDOW, clock)
    for _ in range(5):
        ledger.ease(0)
    assert ledger.pace() == 0.5
    clock.now += WINDOW / SLOTS
    ledger.ease(0)
    assert 0.25 <= ledger.pace() <= 0.26
    clock.now += WINDOW / 2
    assert 0.49 <= ledger.pace() <= 0.52
    clock.now += 2 * WINDOW
    assert ledger.pace() == 1.0
    for _ in range(100):
        ledger.ease(0)
        clock.now += WINDOW / SLOTS
    assert LEAST_PACE <= ledger.pace() <= 2 * LEAST_PACE
