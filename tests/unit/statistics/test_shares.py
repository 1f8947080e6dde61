import pytest
from scipy.stats import binomtest

from service.statistics.shares import exact_mcnemar, mean_interval, wilson


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (3, 10), (10, 10), (45, 300)])
def test_wilson_is_that_of_scipy(hits: int, n: int) -> None:
    theirs = binomtest(hits, n).proportion_ci(method="wilson")
    ours = wilson(hits, n)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (8, 1), (30, 30), (400, 350)])
def test_mcnemar_is_a_binomial_test(first: int, second: int) -> None:
    theirs = binomtest(first, first + second).pvalue if first + second else 1
    assert exact_mcnemar(first, second) == pytest.approx(theirs)


def test_a_mean_lies_in_its_interval() -> None:
    bounds = mean_interval([1.0, 2.0, 3.0, 4.0])
    assert bounds is not None
    assert bounds.low < 2.5 < bounds.high
    with pytest.raises(ValueError, match="no share"):
        wilson(1, 0)
