"""The turn at which a log first recommends, and whether it succeeds."""

from service.alignment.sessions import session
from service.catalogue.catalogue import Catalogue
from service.domain.conversation import ConversationLog, Item, Message, Outcome, Role

ITEMS = (Item("Glass Harvest (2018)", id="g"), Item("The Pelican Protocol (2019)", id="p"))
CATALOGUE = Catalogue.of(ITEMS)


def user(text: str) -> Message:
    return Message(Role.USER, text)


def reply(text: str, *shown: str) -> Message:
    return Message(Role.ASSISTANT, text, shown or None)


def test_lists_tell_the_first_recommendation_and_success() -> None:
    messages = (user("hi"), reply("what do you like?"), user("tense ones"), reply("try these", "p", "g"))
    found = session(ConversationLog(messages, ground_truth=("Glass Harvest",), items=ITEMS))
    assert (found.turns_before_recommendation, found.success) == (1, True)
    missed = session(ConversationLog(messages, ground_truth=("Another (2001)",), items=ITEMS))
    assert missed.success is False


def test_without_lists_titles_count_that_the_user_did_not_bring_up() -> None:
    messages = (
        user("I liked Glass Harvest"),
        reply("Glass Harvest is fine!"),
        user("more"),
        reply("How about The Pelican Protocol?"),
    )
    assert session(ConversationLog(messages), CATALOGUE).turns_before_recommendation == 1
    assert session(ConversationLog(messages)).turns_before_recommendation is None


def test_the_outcome_goes_before_the_lists() -> None:
    messages = (user("hi"), reply("this", "p"), user("no"))
    found = session(ConversationLog(messages, ground_truth=("p",), outcome=Outcome(False)))
    assert (found.turns_before_recommendation, found.success) == (0, False)
    assert session(ConversationLog(messages)).success is None
