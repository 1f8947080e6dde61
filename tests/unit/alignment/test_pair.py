"""Two logs as pairs of turns."""

from service.alignment.pair import pairs_of_logs
from service.alignment.strategies import StrategyName as S
from service.domain.conversation import ConversationLog, Item, Message, Role
from service.domain.parts import Card, ItemsPart, ToolCall
from tests.factories import talk


def test_turns_are_paired_in_order_with_all_that_was_said_before() -> None:
    ours = talk("u: hi", "a: hello", "u: a comedy", "a: try this")
    theirs = talk("u: hi", "a: hey", "a: which kind?", "u: a comedy", "a: one with animals?", id="ref")
    first, second = pairs_of_logs(ours, theirs)
    assert (first.dialogue, first.turn, second.turn) == ("ref", 1, 2)
    assert first.reference is not None
    assert first.reference.utterances == ("hey", "which kind?")
    assert second.candidate is not None
    assert [m.content for m in second.candidate.before] == ["hi", "hello", "a comedy"]


def test_a_turn_too_many_has_no_counterpart() -> None:
    pairs = pairs_of_logs(talk("u: hi", "a: one"), talk("u: hi", "a: one", "u: more", "a: two"))
    assert [pair.candidate is None for pair in pairs] == [False, True]


def test_history_moves_the_numbers_on() -> None:
    (pair,) = pairs_of_logs(
        talk("u: x", "a: y", history=talk("u: hi", "a: hello").messages), talk("u: x", "a: z")
    )
    assert pair.turn == 2


def test_labels_go_with_their_messages() -> None:
    ours = talk("u: hi", "a: hello", "a: what do you like?")
    (pair,) = pairs_of_logs(
        ours, ours, ([None, S.NO_STRATEGY, S.OPINION_INQUIRY], [None, S.NO_STRATEGY, None])
    )
    assert pair.candidate is not None
    assert pair.reference is not None
    assert pair.candidate.labels == (S.NO_STRATEGY, S.OPINION_INQUIRY)
    assert pair.reference.labels is None


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
    assert pair.candidate is not None
    assert pair.candidate.utterances == ("[shows: Fellwind Shell, Moorland Parka]", "These two.")
