"""The time that a user wants items to be of."""

import pytest

from service.judges.embedded.observations.content.topics import Years, wanted_age, wanted_years


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("recommend me a movie from the 80s", Years(1980, 1989)),
        ("A good western from the 1940's", Years(1940, 1949)),
        ("any nineties comedies?", Years(1990, 1999)),
        ("something of the 2000s please", Years(2000, 2009)),
        ("novels of the 1800s", Years(1800, 1899)),
        ("best films of 2024", Years(2024, 2024)),
        ("what came out in the year 1999?", Years(1999, 1999)),
        ("I want one between 2000 and 2010", Years(2000, 2010)),
        ("horror, 2016-2020", Years(2016, 2020)),
        ("pre 90s sci fi only", Years(0, 1989)),
        ("anything before 1970", Years(0, 1969)),
        ("a thriller made after 2015", Years(2016, 9999)),
        ("albums since 2015", Years(2015, 9999)),
        ("from 2010 on, please", Years(2010, 9999)),
        ("a comedy from after the 80s", Years(1990, 9999)),
        ("anything good since the 80s?", Years(1980, 9999)),
        ("I want something from the 80s", Years(1980, 1989)),
    ],
)
def test_years_are_read_off_a_wish(text: str, years: Years) -> None:
    assert wanted_years(text) == (years,)


@pytest.mark.parametrize(
    "text",
    [
        "a film for people in their 40s",
        "I am in my late 30s",
        "nothing from the 80s",
        "I don't like films from the 80s",
        "It can\u2019t be from 1990",
        "I have $50s only",
        "I do not want a movie from 1990",
        "I like Brazil (1985)",
        "have you seen Blade Runner 2049?",
        "2001: A Space Odyssey is great",
        "under 50 dollars",
        "two tickets for 8, please",
        "a comedy",
    ],
)
def test_other_numbers_are_no_time(text: str) -> None:
    assert wanted_years(text) == ()


def test_several_times_are_several_wishes() -> None:
    assert wanted_years("something from the 70's or 80's") == (Years(1970, 1979), Years(1980, 1989))


def test_both_ends_of_a_span_are_in_it() -> None:
    assert 1980 in Years(1980, 1989)
    assert 1989 in Years(1980, 1989)
    assert 1990 not in Years(1980, 1989)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("any recent thrillers?", (Years(2010, 9999),)),
        ("something newer", (Years(2010, 9999),)),
        ("new sci-fi movies", (Years(2010, 9999),)),
        ("these are quite old", (Years(2010, 9999),)),
        ("an old western film", (Years(0, 2000),)),
        ("I love the classics", (Years(0, 2000),)),
        ("not too old please", ()),
        ("my 10 year old son", ()),
        ("something new to me", ()),
        ("New York stories", ()),
        ("I recently moved", ()),
    ],
)
def test_ages_are_told_from_the_newest_item(text: str, years: tuple[Years, ...]) -> None:
    assert wanted_age(text, 2020) == years
