"""Two logs as pairs of turns."""

from service.alignment.pair import pairs_of_logs
from service.alignment.strategies import StrategyName as S
from service.catalogue.catalogue import Catalogue
from service.computed_metrics.session import session
from service.domain.conversation import ConversationLog, Item, Message, Outcome, Role
from service.domain.parts import Card, ItemsPart, ToolCall
from tests.factories import known, talk


def test_turns_are_paired_in_order_with_all_that_was_said_before() -> None:
    ours = talk("u: hi", "a: hello", "u: a comedy", "a: try this")
    theirs = talk("u: hi", "a: hey", "a: which kind?", "u: a comedy", "a: one with animals?", id="ref")
    first, second = pairs_of_logs(ours, theirs)
    assert (first.dialogue, first.turn, second.turn) == ("ref", 1, 2)
    assert known(first.reference).utterances == ("hey", "which kind?")
    assert [m.content for m in known(second.candidate).before] == ["hi", "hello", "a comedy"]


def test_labels_go_with_their_messages() -> None:
    ours = talk("u: hi", "a: hello", "a: what do you like?")
    (pair,) = pairs_of_logs(
        ours, ours, ([None, S.NO_STRATEGY, S.OPINION_INQUIRY], [None, S.NO_STRATEGY, None])
    )
    assert known(pair.candidate).labels == (S.NO_STRATEGY, S.OPINION_INQUIRY)
    assert known(pair.reference).labels is None


def test_cards_alone_say_which_items_they_show() -> None:
    shown = (Card("j1", Item("Fellwind Shell", "j1")), Card("Moorland Parka"))
    ours = ConversationLog(
        (
            Message(Role.USER, "A jacket?"),
            Message(Role.ASSISTANT, "", parts=(ToolCall("search"),)),
            Message(Role.ASSISTANT, "", ("j1", "Moorland Parka"), parts=(ItemsPart(shown),)),
            Message(Role.ASSISTANT, "These two.", ("j1",), parts=(ItemsPart(shown[:1]),)),
        )
    )
    (pair,) = pairs_of_logs(ours, ours)
    assert known(pair.candidate).utterances == ("[shows: Fellwind Shell, Moorland Parka]", "These two.")


ITEMS = (Item("Glass Harvest (2018)", id="g"), Item("The Pelican Protocol (2019)", id="p"))
CATALOGUE = Catalogue.of(ITEMS)


def user(text: str) -> Message:
    return Message(Role.USER, text)


def reply(text: str, *shown: str) -> Message:
    return Message(Role.ASSISTANT, text, shown or None)


def test_lists_tell_the_first_recommendation_and_success() -> None:
    messages = (user("hi"), reply("what do you like?"), user("tense ones"), reply("try these", "p", "g"))
    found = session(ConversationLog(messages, ground_truth=("Glass Harvest",), items=ITEMS))
    assert found == (1, True)
    missed = session(ConversationLog(messages, ground_truth=("Another (2001)",), items=ITEMS))
    assert missed[1] is False


def test_without_lists_titles_count_that_the_user_did_not_bring_up() -> None:
    messages = (
        user("I liked Glass Harvest"),
        reply("Glass Harvest is fine!"),
        user("more"),
        reply("How about The Pelican Protocol?"),
    )
    assert session(ConversationLog(messages), CATALOGUE)[0] == 1
    assert session(ConversationLog(messages))[0] is None


def test_the_outcome_goes_before_the_lists() -> None:
    messages = (user("hi"), reply("this", "p"), user("no"))
    found = session(ConversationLog(messages, ground_truth=("p",), outcome=Outcome(False)))
    assert found == (0, False)
    assert session(ConversationLog(messages))[1] is None


def test_a_session_that_shows_nothing_does_not_succeed() -> None:
    asked = ConversationLog((user("hi"), reply("which kind?")), ground_truth=("Glass Harvest",))
    empty = Message(Role.ASSISTANT, "which kind?", ())
    assert session(ConversationLog((user("hi"), empty), ground_truth=("Glass Harvest",)))[1] is False
    assert session(asked, CATALOGUE)[1] is False
    assert session(asked)[1] is None
