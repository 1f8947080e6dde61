"""What the entries of a list name, where no catalogue tells."""

import pytest

from service.judges.builtin.naming import find_named


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("1. wireless headphones\n2. a good pair of earplugs", ["wireless headphones", "a good pair of earplugs"]),
        ("1. The Shape of Water.\n2. Who's Afraid of Virginia Woolf?", ["The Shape of Water", "Who's Afraid of Virginia Woolf"]),
        ("1. Copper Canyon - a comedy\n2. Dust Hymnal by Ana Sol", ["Copper Canyon", "Dust Hymnal"]),
        ("1) did you like the first one? 2) there is no second one.", []),
        ("1. Copper Canyon 2. Dust Hymnal 3. Apollo 13", ["Copper Canyon", "Dust Hymnal", "Apollo 13"]),
        ("1) Copper Canyon 2) give                    or so", ["Copper Canyon"]),
    ],
)  # fmt: skip
def test_the_head_of_an_entry_is_a_title_unless_it_is_a_sentence(text: str, titles: list[str]) -> None:
    assert [named.surface.rstrip(".") for named in find_named(text, None, listed=True)] == titles
