"""Room that is left for others, for every order of callers."""

from service.api.middleware.admission import FairShares


def fill(shares: FairShares, who: str) -> int:
    number = 0
    while shares.fits(who, 1):
        shares.take(who, 1)
        number += 1
    return number


def test_one_caller_gets_half_and_the_next_ones_find_room() -> None:
    shares = FairShares(16, shared=True)
    assert [fill(shares, who) for who in "abcde"] == [8, 4, 2, 1, 1]
    shares.give_back("a", 8)
    assert fill(shares, "e") == 4


def test_where_nothing_is_shared_one_caller_gets_all() -> None:
    assert fill(FairShares(16, shared=False), "a") == 16


def test_a_caller_counts_by_the_larger_of_what_it_holds_and_what_it_costs() -> None:
    costs = {"a": 40.0}
    shares = FairShares(64, shared=True, cost=lambda who: costs.get(who, 0.0))
    shares.take("a", 1)
    assert not shares.fits("a", 1)
    assert fill(shares, "b") == 12
    costs.clear()
    assert shares.fits("a", 1)
