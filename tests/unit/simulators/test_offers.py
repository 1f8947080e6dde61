from collections.abc import Sequence

from service.domain.conversation import ConversationLog, Item, Message, Role
from service.simulators.offers import Shelf, offers
from tests.unit.simulators.speaking import FILMS


def _reply(text: str, items: Sequence[str] | None = None) -> Message:
    return Message(Role.ASSISTANT, text, tuple(items) if items is not None else None)


def _titles(replies: Sequence[Message], items: Sequence[Item] = (), top: int = 4) -> list[tuple[str, bool]]:
    shelf = Shelf.of(ConversationLog(messages=(), items=tuple(items)))
    return [(offer.title, offer.named) for offer in offers(replies, shelf, top)]


def test_named_items_come_before_listed_ones() -> None:
    shown = _titles([_reply("How about Glass Harvest?", ["f1", "f2", "Heat"])], FILMS)
    assert shown == [("Glass Harvest", True), ("Paper Comets", False), ("Heat", False)]


def test_titles_of_a_list_are_found_in_the_text_without_metadata() -> None:
    assert _titles([_reply("I suggest Moon Bakery to you.", ["Moon Bakery (2011)"])]) == [
        ("Moon Bakery", True)
    ]


def test_a_quoted_title_that_no_list_holds_is_heard() -> None:
    shown = _titles([_reply('I recommend "Comets of Glass".', ["f1"])], FILMS)
    assert shown == [("Comets of Glass", True), ("Paper Comets", False)]


def test_quoted_words_are_no_title_beside_a_list() -> None:
    shown = _titles([_reply('By "dark" you mean crime? Then Heat (2001).', ["f4"])], FILMS)
    assert shown == [("Heat", True)]


def test_a_reply_that_names_hundreds_is_not_read_to_its_end() -> None:
    flood = " ".join(f'"Title Number {number} Of Them".' for number in range(300))
    assert len(_titles([_reply(flood, ["Heat (2001)"])])) == 21
