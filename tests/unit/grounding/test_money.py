"""Amounts of money in words."""

import pytest

from service.grounding.money import prices


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Lumo A5 costs 279 dollars, the A7 $1,299.50", [279, 1299.5]),
        ("from 480 euros, or €95 a night", [480, 95]),
        ("about 14 bucks, £9", [14, 9]),
        ("made in 1999, 120 minutes, 20% off, 8/10, US$5, A$ 12", [5, 12]),
        ("$20% is not a price", []),
        ("no money here", []),
        ("5 euroscope", []),
    ],
)
def test_prices_are_found(text: str, found: list[float]) -> None:
    assert prices(text) == found
