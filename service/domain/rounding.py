"""Numbers of answers, with as many digits as mean something."""

import math
from typing import Annotated

from pydantic import PlainSerializer

DIGITS = 4
"""Digits of the numbers in answers; more are rounding error, and differ from one processor to another."""


def rounded(value: float) -> float:
    """Round to `DIGITS` digits after the point, and below 0.1 to so many significant ones: a cost of 0.00003124 is not
    zero."""
    if not value or not math.isfinite(value):
        return value
    return round(value, max(DIGITS, DIGITS - 1 - math.floor(math.log10(abs(value)))))


Figure = Annotated[float, PlainSerializer(rounded, return_type=float, when_used="json")]
"""A number of an answer. What callers sent comes back as it was: it is a plain float."""
