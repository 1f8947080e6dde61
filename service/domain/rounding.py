"""Numbers of the contract: those of answers with as many digits as mean something, whole ones however JSON writes them."""

import math
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

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

WHOLE = BeforeValidator(
    lambda value: int(value) if isinstance(value, float) and value.is_integer() else value
)
"""Marks a whole number in what callers send: JSON knows no integers, and 2.0 is one to its schemas.
Stands after the bounds, `Annotated[int, Field(ge=1), WHOLE]`, or they do not reach the document."""

Whole = Annotated[int, WHOLE]
