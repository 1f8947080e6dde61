"""Student's t: tail areas and quantiles."""

import math
from functools import lru_cache

_TINY = 1e-300
_STEPS = 300
_CLOSE = 1e-15


@lru_cache(maxsize=4096)
def t_quantile(level: float, degrees: float) -> float:
    """Return the value that Student's t with `degrees` degrees of freedom stays under with probability `level`, to eight digits.

    Raises ValueError unless 0 < level < 1 and degrees > 0."""
    if not 0 < level < 1 or not degrees > 0:
        raise ValueError(f"a level inside 0 to 1 and positive degrees are needed, not {level}, {degrees}")
    if level < 0.5:
        return -t_quantile(1 - level, degrees)
    low, high = 0.0, 1.0
    while t_tail(high, degrees) > 1 - level:
        low, high = high, 2 * high
    # The tail is convex above zero: Newton's steps from below never pass the quantile.
    for _ in range(_STEPS):
        step = (t_tail(low, degrees) - (1 - level)) / _density(low, degrees)
        low += step
        if step <= 1e-12 * max(1.0, low):
            break
    return low


def t_tail(value: float, degrees: float) -> float:
    """Return the probability that Student's t with `degrees` degrees of freedom exceeds `value`."""
    if value < 0:
        return 1 - t_tail(-value, degrees)
    return _beta_share(degrees / (degrees + value * value), degrees / 2, 0.5) / 2


def _density(value: float, degrees: float) -> float:
    half = (degrees + 1) / 2
    front = math.exp(math.lgamma(half) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    return float(front * (1 + value * value / degrees) ** -half)


def _beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _continued(x, a, b) / a
    return 1 - front * _continued(1 - x, b, a) / b


def _continued(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (Abramowitz and Stegun 26.5.8)."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for step in range(1, _STEPS):
        twice = 2 * step
        even = step * (b - step) * x / ((a + twice - 1) * (a + twice))
        odd = -(a + step) * (a + b + step) * x / ((a + twice) * (a + twice + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            fraction *= d * c
        if abs(d * c - 1) < _CLOSE:
            break
    return fraction


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
