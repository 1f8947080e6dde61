import pytest

from service.catalogue.catalogue import Catalogue
from service.domain.conversation import ConversationLog, Item, Message, Role, Turn
from service.domain.parts import Card, ItemsPart, TextPart, ToolCall, ToolResult


def log(shape: str, lists: dict[int, tuple[str, ...]] | None = None) -> ConversationLog:
    """`shape` spells who speaks: u for the user, a for the assistant, c for a call of a tool, r for its result."""
    roles = {"u": Role.USER, "a": Role.ASSISTANT}
    tools = {"c": CALL, "r": RESULT}
    messages = (
        tools.get(who) or Message(roles[who], f"m{i}", (lists or {}).get(i)) for i, who in enumerate(shape)
    )
    return ConversationLog(tuple(messages))


@pytest.mark.parametrize(
    ("shape", "turns"),
    [
        ("ua", [((0,), (1,))]),
        ("uaua", [((0,), (1,)), ((2,), (3,))]),
        ("aua", [((), (0,)), ((1,), (2,))]),
        ("uuaaua", [((0, 1), (2, 3)), ((4,), (5,))]),
        ("uau", [((0,), (1,))]),
        ("uuu", []),
        ("aaa", [((), (0, 1, 2))]),
        ("ucraru", [((0,), (3,))]),
        ("ucrua", [((0, 3), (4,))]),
    ],
)
def test_a_turn_is_a_run_of_replies_with_the_user_run_before_it(
    shape: str, turns: list[tuple[tuple[int, ...], tuple[int, ...]]]
) -> None:
    assert log(shape).turns == tuple(Turn(user, assistant) for user, assistant in turns)


def test_the_session_list_cuts_each_reply_joins_in_order_and_drops_repeats() -> None:
    shown = log("uauaua", {1: ("a", "b", "c"), 3: ("b", "d", "e"), 5: ("a", "f")})
    assert shown.session_list(2) == ("a", "b", "d", "f")
    assert shown.session_list(10) == ("a", "b", "c", "d", "e", "f")


def test_an_empty_list_is_not_a_missing_one() -> None:
    assert not log("ua", {1: ()}).has_lists
    assert log("uaua", {1: (), 3: ("a",)}).has_lists


def test_the_paper_example_hits_in_the_session_but_not_at_ten() -> None:
    """CoRE's printed example: the wanted item is 17th of 17 in the session list."""
    items = tuple(f"film {n}" for n in range(1, 18))
    shown = log("uaua", {1: items[:9], 3: items[9:]})
    assert shown.session_list(10)[16] == "film 17"
    assert "film 17" not in shown.session_list(10)[:10]


CALL = Message(Role.ASSISTANT, "", parts=(ToolCall("search", "{}", "c1"),))
RESULT = Message(Role.TOOL, "", parts=(ToolResult("[]", "c1"),))
CARDS = Message(
    Role.ASSISTANT,
    "",
    ("j1", "Moorland Parka"),
    parts=(ItemsPart((Card("j1", Item("Fellwind Shell", "j1", price=99.0)), Card("Moorland Parka"))),),
)


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
