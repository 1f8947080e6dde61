"""Items shown against the user's wishes: cases made by hand, those that must be found and those that must not."""

import pytest

from service.domain.conversation import Message
from service.domain.parts import Card, Item
from tests.unit.grounding.logs import card, grounding, reply, searched, user

ALL = (Card("j1"), Card("j2"), Card("j3"))


def against(*messages: Message, **beside: object) -> dict[str, list[str]]:
    """The wishes that the items of the last reply go against, by their ids."""
    held = grounding(*messages, **beside)  # type: ignore[arg-type]
    last = held.log.replies[-1]
    return {
        one.card.reference: [wish.text for wish in one.against]
        for one in held.shown
        if one.message == last and one.against
    }


@pytest.mark.parametrize(
    ("wish", "violations"),
    [
        ("A rain jacket under 120 euros, please.", {"j3": ["at most 120 EUR"]}),
        ("Something about town, ideally light, under 120 euros.", {"j3": ["at most 120 EUR"]}),
        ("My budget is 100.", {"j1": ["at most 100"], "j3": ["at most 100"]}),
        ("Something between 100 and 120 euros.", {"j2": ["at least 100 EUR"], "j3": ["at most 120 EUR"]}),
        ("Höchstens 120 Euro, bitte.", {"j3": ["at most 120 EUR"]}),
        ("Mi presupuesto es de 120 euros.", {"j3": ["at most 120 EUR"]}),
        ("Pas plus de 120 euros.", {"j3": ["at most 120 EUR"]}),
        ("I can spend €90 max, not more.", {"j1": ["at most 90 EUR"], "j3": ["at most 90 EUR"]}),
        ("A jacket, but not blue.", {"j2": ["not wanted blue"]}),
        ("A jacket that is not blue.", {"j2": ["not wanted blue"]}),
        ("No blue or red ones, please.", {"j2": ["not wanted blue"], "j3": ["not wanted red"]}),
        ("I don't want a red one.", {"j3": ["not wanted red"]}),
        ("I am looking for a green jacket.", {"j2": ["green"], "j3": ["green"]}),
        ("Show me something in blue or green.", {"j3": ["blue"]}),
        ("It must have a hood.", {"j2": ["has hood"]}),
        ("Anything but green, under 1.299,00 €.", {"j1": ["not wanted green"]}),
        ("Anything other than red, we had a red one for years.", {"j3": ["not wanted red"]}),
        ("Bitte kein red.", {"j3": ["not wanted red"]}),
        ("Todo menos red.", {"j3": ["not wanted red"]}),
        ("All colours save red.", {"j3": ["not wanted red"]}),
        ("You can count out red.", {"j3": ["not wanted red"]}),
        ("I've had enough of red.", {"j3": ["not wanted red"]}),
        ("Please don't give me blue again.", {"j2": ["not wanted blue"]}),
        ("Any colour but red.", {"j3": ["not wanted red"]}),
        ("I refuse to wear red.", {"j3": ["not wanted red"]}),
        ("No more than a hundred and twenty euros.", {"j3": ["at most 120 EUR"]}),
        ("Max. 120 euros, please.", {"j3": ["at most 120 EUR"]}),
        ("I have a budget of 120 euros.", {"j3": ["at most 120 EUR"]}),
        ("120 euros is all I have.", {"j3": ["at most 120 EUR"]}),
        ("Something free of blue, please.", {"j2": ["not wanted blue"]}),
        (
            "At most 100 euros, delivery under 10 euros.",
            {"j1": ["at most 100 EUR"], "j3": ["at most 100 EUR"]},
        ),
        ("A jacket for up to 100 euros, with a belt up to 120 euros.", {"j3": ["at most 120 EUR"]}),
    ],
)
def test_a_wish_is_held_against_what_a_tool_said(wish: str, violations: dict[str, list[str]]) -> None:
    assert against(user(wish), *searched(), reply("These:", *ALL)) == violations


@pytest.mark.parametrize(
    "wish",
    [
        "A jacket, please.",
        "I bought one under 50 euros last year.",
        "Ideally under 100 euros.",
        "My limit is about 100 euros.",
        "Under 100 euros, if possible.",
        "Under 100 minutes by train, please.",
        "Under 50 dollars, please.",
        "At most 30 euros a month.",
        "Is it not blue?",
        "Not a blue one is it?",
        "The parka is not green, I think.",
        "Not only blue, all colours.",
        "My bag is blue.",
        "I need it for my blue bike.",
        "Maybe something in blue.",
        "Money is no object.",
        "Nothing like the Fellwind Shell in green.",
        "Fellwind Shell is not blue.",
        "They bore me. There's no blue in them.",
        "That sounds like a green one not a blue one.",
        "I like the bag which maybe is not blue.",
        "No white, blue is fine.",
        "I wouldn't say no to blue.",
        "I can't live without blue.",
        "No need to avoid blue.",
        "Never thought I'd ask for blue.",
        "I have no blue one yet.",
        "What, no blue?",
        "Do you have no blue at all?",
        "I usually don't wear blue, but today I want to try one.",
        "I don't just wear red, blue is fine.",
        "Nothing makes me happier than blue.",
        "You can never have too much blue.",
        "Can't I get it in blue?",
        "I'd hate to miss out on blue.",
        "I spent under 50 euros on my hat.",
        "A jacket, with delivery for under 5 euros.",
        "One under 100 euros, and another for my wife.",
        "Ungefähr 100 Euro, höchstens etwa 110.",
    ],
)
def test_what_is_no_certain_wish_is_none(wish: str) -> None:
    assert not against(user(wish), *searched(), reply("These:", *ALL))


SHOWN = (*searched(), reply("These?", *ALL))
DEAR = reply("", card("Pocket Squall", price=130.0, currency="EUR"))
COAT = reply("", card("Skerry Coat", price=99.0, currency="EUR"))


@pytest.mark.parametrize(
    ("messages", "violations"),
    [
        ((user("Under 100 euros."), *SHOWN, user("Up to 120 euros is fine, too."), reply("These.", *ALL)), {"j3": ["at most 120 EUR"]}),
        ((user("Under 100 euros."), *SHOWN, user("You may go a bit higher."), reply("These.", *ALL)), {}),
        ((user("Not blue."), *SHOWN, user("Show me something in blue then."), reply("Here.", Card("j2"))), {}),
        ((user("Under 100 euros."), *SHOWN, user("120 would be fine, too."), reply("These.", *ALL)), {"j3": ["at most 120 EUR"]}),
        ((user("Under 100 euros."), *SHOWN, user("What about the best one you have?"), reply("These.", *ALL)), {}),
        ((user("Under 100 euros."), *SHOWN, user("How much is the coat?"), reply("Here.", Card("j3"))), {}),
        ((user("Under 100 euros."), *SHOWN, user("I'll take it. And a coat?"), reply("Here.", Card("j3"))), {}),
        ((user("Under 100 euros."), *SHOWN, user("My boss will pay half."), reply("Here.", Card("j3"))), {}),
        ((user("Not blue."), *SHOWN, user("And for my brother?"), reply("Here.", Card("j2"))), {}),
        ((user("Under 100 euros."), *SHOWN, user("Do you have coats?"), reply("Here.", Card("j3"))), {}),
        ((user("Under 100 euros."), *SHOWN, user("And one for my boss."), reply("Here.", Card("j3"))), {}),
        ((user("Not blue."), *SHOWN, user("Hm, blue is fine after all."), reply("Here.", Card("j2"))), {}),
        ((user("Not blue."), *SHOWN, user("I said not blue, why is this blue?"), reply("Here.", Card("j2"))), {"j2": ["not wanted blue"]}),
        ((user("I need a green one."), *SHOWN, user("My husband says blue."), reply("Here.", Card("j2"))), {}),
        ((user("I need a green one."), *SHOWN, user("Forget what I said."), reply("Here.", Card("j2"))), {}),
        ((user("I need a green one."), *searched(), reply("Sorry, there is nothing in green. This?", Card("j2"))), {}),
        ((user("Under 120 euros."), DEAR), {"Pocket Squall": ["at most 120 EUR"]}),
        ((user("Under 120 euros."), *searched(), COAT), {"Skerry Coat": ["at most 120 EUR"]}),
    ],
)  # fmt: skip
def test_the_last_word_and_the_best_source_count(
    messages: tuple[Message, ...], violations: dict[str, list[str]]
) -> None:
    assert against(*messages) == violations


LAPTOPS = (
    Item("Noro 13", attributes={"ram": ("8 GB",), "storage": ("512 GB",), "weight kg": ("1.1",), "year": ("2023",), "touch": ("no",)}, rating=4.4),
    Item("Noro 15", attributes={"ram": ("32 GB",), "storage": ("256 GB",), "weight kg": ("1.9",), "year": ("2019-05-02",), "touch": ("yes",)}, rating=3.6),
    Item("Old Oak (1974)"),
    Item("Marten Boot", attributes={"sizes": ("43", "44"), "stars": ("3",), "players": ("2-4",)}),
)  # fmt: skip
LISTED = tuple(Card(one.title) for one in LAPTOPS)


@pytest.mark.parametrize(
    ("wish", "violations"),
    [
        ("At least 16 GB of memory, please.", {"Noro 13": ["at least 16 GB"]}),
        ("It needs 500 GB of storage or more.", {"Noro 15": ["at least 500 GB"]}),
        ("It must weigh less than 1.5 kg.", {"Noro 15": ["at most 1.5 kg"]}),
        ("Nothing older than 2020.", {"Noro 15": ["at least 2020"], "Old Oak (1974)": ["at least 2020"]}),
        ("Rated at least 4, please.", {"Noro 15": ["at least 4"]}),
        ("It must have touch.", {"Noro 13": ["has touch"]}),
        ("4 stars or more.", {"Marten Boot": ["at least 4 stars"]}),
        ("In size 42, please.", {"Marten Boot": ["at most 42"]}),
        ("For six players.", {"Marten Boot": ["at least six players"]}),
        ("Something from the 70's &amp; 80's.", {}),
        ("Höchstens 1,5 kg.", {"Noro 15": ["at most 1,5 kg"]}),
        ("At least 16 GB, whatever for.", {}),
        ("My bag is under 1.5 kg.", {}),
        ("Ideally under 1.5 kg.", {}),
        ("We don't need touch.", {}),
        ("I liked laptops made before 2020.", {}),
    ],
)
def test_a_limit_is_held_against_the_attribute_that_it_is_about(
    wish: str, violations: dict[str, list[str]]
) -> None:
    assert against(user(wish), reply("These:", *LISTED), items=LAPTOPS) == violations


def test_a_limit_of_size_holds_until_the_user_speaks_of_it_again() -> None:
    limit, shown = user("Under 1.5 kg, please."), reply("These:", *LISTED)
    assert against(limit, reply("Which colour?"), user("Black."), shown, items=LAPTOPS)
    for later in ("2 kg is fine, too.", "It may be heavier.", "And one for my son?"):
        assert not against(limit, reply("None left."), user(later), shown, items=LAPTOPS)


def test_attributes_of_the_user_hold_from_the_start() -> None:
    shown = reply(
        "These:", Card("Amber Coast"), Card("Blue Ferry"), Card("Dust and Tin"), Card("Empty Shelf")
    )
    films = (
        Item("Amber Coast", attributes={"genre": ("drama", "crime")}),
        Item("Blue Ferry", attributes={"genre": ("comedy",)}),
        Item("Dust and Tin"),
        Item("Empty Shelf", attributes={"genre": ()}),
    )
    found = against(user("A film."), shown, items=films, attributes=("Drama", "unheard of"))
    assert found == {"Blue Ferry": ["drama"]}


def test_of_several_values_one_that_is_wanted_rules_none_out() -> None:
    films = (
        Item("Amber Coast", attributes={"genre": ("drama", "crime")}),
        Item("Blue Ferry", attributes={"genre": ("comedy",)}),
    )
    shown = reply("These:", Card("Amber Coast"), Card("Blue Ferry"))
    assert not against(user("I want a thriller or a comedy."), shown, items=films)
    assert against(user("No comedy, please."), shown, items=films) == {"Blue Ferry": ["not wanted comedy"]}
