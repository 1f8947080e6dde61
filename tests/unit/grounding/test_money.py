"""Amounts of money and limits in words."""

import pytest

from service.grounding.money import price_limit, prices


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


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("a phone under 300 dollars with a good camera", 300),
        ("with breakfast, max 120 euros", 120),
        ("$1,200 tops, please", 1200),
        ("my budget is $80", 80),
        ("no more than €15.50", 15.5),
        ("under $50, well, under $60", 60),
        ("I paid 300 dollars for the last one", None),
        ("under 90 minutes", None),
        ("a recipe of no more than 30 min, low cost", None),
        ("at most 4 people, what is the price?", None),
        ("a hotel in Tarn, june 3 budget 200", None),
        ("200 budget, please", 200),
        ("over 20 dollars is fine", None),
        ("the $5 one", None),
    ],
)
def test_a_limit_is_an_amount_that_bounds(text: str, limit: float | None) -> None:
    assert price_limit(text) == limit


def test_long_texts_of_digits_take_no_time() -> None:
    assert prices("$" + "1" * 200_000) == []
    assert price_limit("under " * 50_000 + "$") is None
