from collections.abc import Sequence

import pytest

from service.domain.conversation import ConversationLog, Item, Message, Role
from service.simulators.claims import Attributes, belief
from service.simulators.guard import names, remove_leaks
from service.simulators.offers import ItemLookup, Offer, offers
from tests.unit.simulators.speaking import FILMS

HEAT = Offer("Heat (2001)", "Heat", named=True)
MOTH = Offer("Dr. Moth", "Dr. Moth", named=True)
WANTED = ("crime", "science fiction", "comedy")


def _said(*lines: str) -> list[Message]:
    return [
        Message(Role.USER if line.startswith("u:") else Role.ASSISTANT, line.removeprefix("u:").strip())
        for line in lines
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It is a comedy.", True),
        ("Two comedies in one.", True),
        ("It is not a comedy.", False),
        ("There is no drama, romance or comedy in it.", False),
        ("It isn't dark but a comedy.", True),
        ("It is not only sad, it is a comedy.", True),
        ("It is a thriller.", None),
    ],
)
def test_a_sentence_grants_denies_or_passes_over(sentence: str, expected: bool | None) -> None:
    assert Attributes(["comedy"]).in_sentence(sentence).get("comedy") is expected


@pytest.mark.parametrize(
    ("lines", "claimed", "denied"),
    [
        (
            ["You want comedy. Heat is a crime film. It has science fiction too."],
            {"crime", "science fiction"},
            set(),
        ),
        (["See Heat, it is crime. Then Dr. Moth, a comedy."], {"crime"}, set()),
        (["Have you seen Heat? Do you like crime?"], set(), set()),
        (["See Heat.", "u: Is Heat crime?", "Yes, it is."], {"crime"}, set()),
        (["See Heat.", "u: Is Heat crime?", "No, I'm afraid."], set(), {"crime"}),
        (["Heat is a comedy.", "u: Really?", "Heat is not a comedy."], set(), {"comedy"}),
    ],
    ids=["from its name on", "another item", "questions", "yes", "no", "the last word"],
)
def test_what_was_said_of_an_item_is_believed(lines: list[str], claimed: set[str], denied: set[str]) -> None:
    held = belief(HEAT, WANTED, _said(*lines), [HEAT, MOTH])
    assert held == dict.fromkeys(claimed, True) | dict.fromkeys(denied, False)


def _reply(text: str, items: Sequence[str] | None = None) -> Message:
    return Message(Role.ASSISTANT, text, tuple(items) if items is not None else None)


def _titles(replies: Sequence[Message], items: Sequence[Item] = (), top: int = 4) -> list[tuple[str, bool]]:
    lookup = ItemLookup.of(ConversationLog(messages=(), items=tuple(items)))
    return [(offer.title, offer.named) for offer in offers(replies, lookup, top)]


@pytest.mark.parametrize(
    ("text", "listed", "items", "shown"),
    [
        ("How about Glass Harvest?", ["f1", "f2", "Heat"], FILMS, [("Glass Harvest", True), ("Paper Comets", False), ("Heat", False)]),
        ("I suggest Moon Bakery to you.", ["Moon Bakery (2011)"], (), [("Moon Bakery", True)]),
        ('I recommend "Comets of Glass".', ["f1"], FILMS, [("Comets of Glass", True), ("Paper Comets", False)]),
        ('By "dark" you mean crime? Then Heat (2001).', ["f4"], FILMS, [("Heat", True)]),
    ],
    ids=["named before listed", "without metadata", "quoted", "quoted words"],
)  # fmt: skip
def test_titles_that_a_reply_offers(
    text: str, listed: list[str], items: tuple[Item, ...], shown: list[tuple[str, bool]]
) -> None:
    assert _titles([_reply(text, listed)], items) == shown


def test_a_reply_that_names_hundreds_is_not_read_to_its_end() -> None:
    flood = " ".join(f'"Title Number {number} Of Them".' for number in range(300))
    assert len(_titles([_reply(flood, ["Heat (2001)"])])) == 21


@pytest.mark.parametrize(
    ("title", "text", "named"),
    [
        ("Paper Comets (2015)", "I want Paper Comets, please.", True),
        ("Paper Comets (2015)", "i want paper comets please", True),
        ("Paper Comets (2015)", "It is called PAPER COMETS (2015).", True),
        ("Paper Comets (2015)", "I think of “Paper Comet\u2019s”, you know?", True),
        ("Paper Comets (2015)", "the paper commets one", True),
        ("Paper Comets (2015)", "I like paper and comets.", False),
        ("Paper Comets (2015)", "Comets made of paper.", False),
        ("Paper Comets (2015)", "Papers", False),
        ("Paper Comets (2015)", "", False),
        # A short title must be written as a name.
        ("It (2017)", "It is raining, and I like it.", False),
        ("It (2017)", "Have you seen It by any chance?", True),
        ("Heat (2001)", "We could meet in the theater, beat the heat and eat.", False),
        ("Heat (2001)", "Did you think of Heat for me?", True),
        ("Heat (2001)", "Heat is what I want.", True),
        # An article and a subtitle may be left off.
        ("The Salt Cartographers", "salt cartographers", True),
        ("Salt Roads: The Second Journey", "the one called Salt Roads", True),
        ("It: Chapter Two", "I want it now.", False),
    ],
)
def test_a_title_is_named_in_any_spelling(title: str, text: str, named: bool) -> None:
    assert names(title, text) is named


def test_certainty_asks_every_single_word_to_be_written_as_a_name() -> None:
    assert names("Gravity (2013)", "There is little gravity up there.")
    assert not names("Gravity (2013)", "There is little gravity up there.", certain=True)
    assert names("Gravity (2013)", "Try Gravity tonight.", certain=True)


@pytest.mark.parametrize(
    ("text", "title", "left", "removed"),
    [
        (
            "I want something dark. It is Heat, by the way! Any idea?",
            "Heat (2001)",
            "I want something dark. Any idea?",
            "It is Heat, by the way!",
        ),
        (
            "Something playful. I mean Dr. Moth of course. Thanks.",
            "Dr. Moth (1991)",
            "Something playful. Thanks.",
            "I mean Dr. Moth of course.",
        ),
        ("Paper Comets!", "Paper Comets (2015)", "", "Paper Comets!"),
    ],
)
def test_leaking_sentences_are_removed_and_reported(text: str, title: str, left: str, removed: str) -> None:
    assert remove_leaks(text, [title]) == (left, (removed,))
