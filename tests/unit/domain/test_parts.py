"""Messages with more than text: what the user saw, turns around calls of tools, items of cards."""

from service.catalogue.catalogue import Catalogue
from service.domain.conversation import ConversationLog, Item, Message, Role, Turn
from service.domain.parts import Card, ItemsPart, TextPart, ToolCall, ToolResult

CALL = Message(Role.ASSISTANT, "", parts=(ToolCall("search", "{}", "c1"),))
RESULT = Message(Role.TOOL, "", parts=(ToolResult("[]", "c1"),))
CARDS = Message(
    Role.ASSISTANT,
    "",
    ("j1", "Moorland Parka"),
    parts=(ItemsPart((Card("j1", Item("Fellwind Shell", "j1", price=99.0)), Card("Moorland Parka"))),),
)
ASKS = Message(Role.USER, "A rain jacket?")


def test_tools_open_no_turn_and_are_no_reply() -> None:
    log = ConversationLog((ASKS, CALL, RESULT, CARDS, RESULT, Message(Role.USER, "Thanks")))
    assert log.turns == (Turn((0,), (3,)),)
    assert log.replies == (3,)


def test_a_run_that_only_calls_a_tool_is_no_turn() -> None:
    log = ConversationLog((ASKS, CALL, RESULT, ASKS, Message(Role.ASSISTANT, "Hello")))
    assert log.turns == (Turn((0, 3), (4,)),)


def test_a_reply_that_speaks_while_it_calls_is_seen() -> None:
    speaks = Message(Role.ASSISTANT, "One moment.", parts=(TextPart("One moment."), *CALL.parts))
    assert (speaks.is_reply, CALL.is_reply, RESULT.is_seen, CARDS.is_reply) == (True, False, False, True)


def test_the_catalogue_of_a_log_knows_items_of_cards_but_believes_the_items_more() -> None:
    told = Item("Fellwind Shell", "j1", price=109.0)
    by_card = Catalogue.of_log(ConversationLog((CARDS,)), None)
    by_items = Catalogue.of_log(ConversationLog((CARDS,), items=(told,)), None)
    below = Catalogue.of_log(ConversationLog((CARDS,)), Catalogue.of([told]))
    found = (each.get("j1") for each in (by_card, by_items, below) if each is not None)
    prices = [known.price for known in found if known is not None]
    assert prices == [99.0, 109.0, 109.0]
