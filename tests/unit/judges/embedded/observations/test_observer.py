"""Titles in the entries of a list, without a catalogue."""

import pytest

from service.judges.embedded.observations.observer import Mentions, find_named
from service.text.words import Span


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


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("For a long drive, Harbour Tales by Ana Sol is hard to beat.", ["Harbour Tales"]),
        ("Good arch support helps. The Cloud GT-10 comes in size 44.", ["The Cloud GT-10"]),
        ("Seville would suit you: it is warm in March.", ["Seville"]),
        ("Another option is The Oak Room, known for its fish.", ["The Oak Room"]),
        ("Seven Bells on Hill Street does a rich one for 11 euros.", ["Seven Bells on Hill Street"]),
        ("Pension Linde near the Mill is quiet, has breakfast and costs 98 euros.", ["Pension Linde"]),
        ("Calmly is free without ads.", ["Calmly"]),
        ("Praia Sul: it is shallow.", ["Praia Sul"]),
        ("Meadow Valley then: farming and friends.", ["Meadow Valley"]),
        ("Do you prefer a cuisine, like Italian or Indian?", []),
        ("It comes in a wide version. They have many.", []),
    ],
)
def test_names_of_any_domain_are_told_by_what_puts_them_forward(text: str, titles: list[str]) -> None:
    assert [named.surface for named in find_named(text, None, listed=True)] == titles


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Something like Dust Hymnal, please", ["Dust Hymnal"]),
        ("Harbour!", ["Harbour"]),
        ("Harbour towns are dull, and a harbour too", []),
        ("I liked Harbour", ["Harbour"]),
        ("dust hymnal", []),
    ],
)
def test_what_replies_mark_is_found_in_what_users_say(text: str, titles: list[str]) -> None:
    mentions = Mentions(find_named("Try Dust Hymnal (2004) or Harbour (1999).", None, listed=True))
    found = mentions.find(text, ())
    assert [named.surface for named in found] == [text[named.start : named.end] for named in found] == titles
    assert mentions.find(text, [Span(0, len(text), "title")]) == []
