"""A test that holds at all times: betting against the claim that a mean is what it was.

Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (JRSS B, 2024), section 4. A player bets
a share of the capital on each value against a true claim. With probability 1 - alpha they never have more than 1 / alpha times
what they began with (Ville). The capital here is the mean of those of several fixed bets, which is valid as well."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

SHARES: Final = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""The bets, as shares of the largest bet that cannot lose everything."""

NOTHING: Final = -1e9
"""The logarithm of no capital at all."""

Values = NDArray[np.float64]


Bets = tuple[float, ...]
"""The logarithm of each bet's capital."""

NO_BETS: Final[Bets] = (NOTHING,) * len(SHARES)


def begun(bets: Bets, share: float) -> Bets:
    """Put this share of the capital on all bets, beside what is on them."""
    more = math.log(share / len(SHARES))
    return tuple(float(np.logaddexp(capital, more)) for capital in bets)


def against_at_least(bets: Bets, values: Values, mean: float) -> tuple[Bets, Values]:
    """Bet that values in 0-1 lie lower than a mean of `mean` or more. Returns the bets after all values, and the logarithm
    of the whole capital after each."""
    return _after(bets, mean - values, 1.0 - mean)


def against_at_most(bets: Bets, values: Values, mean: float) -> tuple[Bets, Values]:
    """Bet that values in 0-1 lie higher than a mean of `mean` or less."""
    return _after(bets, values - mean, mean)


def _after(bets: Bets, gains: Values, worst: float) -> tuple[Bets, Values]:
    largest = 1.0 / max(worst, 1e-3)
    steps = np.log1p(np.outer(np.asarray(SHARES) * largest, gains))
    paths = np.asarray(bets)[:, None] + np.cumsum(steps, axis=1)
    whole = np.logaddexp.reduce(paths, axis=0)
    return (tuple(paths[:, -1].tolist()) if gains.size else bets), whole
