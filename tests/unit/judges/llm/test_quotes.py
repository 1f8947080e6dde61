# ruff: noqa: RUF001 - lookalike characters are what some of this is about

import time

import pytest

from service.domain.conversation import ConversationLog, Message, Role
from service.judges.llm.answer import Quote
from service.judges.llm.quotes import checked

LOG = ConversationLog(
    messages=(
        Message(Role.USER, "I loved “Night Ferry”.\nSomething   like it? <3"),
        Message(Role.ASSISTANT, "It's a thriller, isn't it? Try The Tin Parade, which is lighter.", id="m2"),
        Message(Role.ASSISTANT, "Try The Tin Parade."),
    ),
    history=(Message(Role.USER, "I was here last week"),),
)


@pytest.mark.parametrize(
    ("message", "quote", "where", "text"),
    [
        (1, "Try The Tin Parade", 1, "Try The Tin Parade"),
        (2, "try the tin parade.", 2, "Try The Tin Parade."),
        (0, 'I loved "Night Ferry". Something like it?', 0, "I loved “Night Ferry”.\nSomething   like it?"),
        (1, "It’s a thriller", 1, "It's a thriller"),
        (
            1,
            "It's a thriller ... which is lighter",
            1,
            "It's a thriller, isn't it? Try The Tin Parade, which is lighter",
        ),
        (0, "like it? ‹3", 0, "like it? <3"),
        (1, '"Try The Tin Parade"', 1, "Try The Tin Parade"),
        (1, "[1] recommender: It's a thriller", 1, "It's a thriller"),
        (0, "which is lighter", 1, "which is lighter"),
        (None, "which is lighter", 1, "which is lighter"),
        (99, "which is lighter", 1, "which is lighter"),
    ],
)
def test_a_quotation_that_stands_in_the_log_is_kept_as_it_is_written_there(
    message: int | None, quote: str, where: int, text: str
) -> None:
    [evidence], flags = checked([Quote(message, quote)], LOG)
    assert (evidence.message, evidence.quote, flags) == (where, text, ())


def test_the_id_of_the_message_comes_along() -> None:
    [evidence], _ = checked([Quote(1, "thriller")], LOG)
    assert evidence.message_id == "m2"


@pytest.mark.parametrize(
    "quote", ["Try The Tin Soldier", "I was here last week", "…", '""', "a.*b", "thriller ... nothing"]
)
def test_a_quotation_that_does_not_is_dropped_and_flagged(quote: str) -> None:
    evidence, [flag] = checked([Quote(1, quote), Quote(1, "thriller")], LOG)
    assert [each.quote for each in evidence] == ["thriller"]
    assert flag.code == "quote_not_found"


def test_the_same_passage_is_told_once() -> None:
    evidence, flags = checked([Quote(1, "thriller"), Quote(1, "THRILLER")], LOG)
    assert (len(evidence), flags) == (1, ())


def test_a_quotation_made_to_take_long_does_not() -> None:
    text = "a b " * 25_000
    log = ConversationLog(messages=(Message(Role.ASSISTANT, text),))
    began = time.process_time()
    evidence, flags = checked([Quote(0, "a ... b ... a ... b ... zzz")] * 10, log)
    assert (evidence, len(flags)) == ((), 1)
    assert time.process_time() - began < 10


def test_an_ellipsis_leaves_out_only_so_much() -> None:
    log = ConversationLog(
        messages=(Message(Role.ASSISTANT, "It begins here " + "x" * 500 + " and ends here."),)
    )
    evidence, _ = checked([Quote(0, "It begins ... and ends")], log)
    assert evidence == ()


@pytest.mark.parametrize(
    ("content", "quote", "found"),
    [
        ("I saw <b>Night\u2060 Ferry</b> twice.", "‹b>Night Ferry‹/b>", "<b>Night\u2060 Ferry</b>"),
        ("I saw <b>Night\u2060 Ferry</b> twice.", "<b>Night Ferry</b>", "<b>Night\u2060 Ferry</b>"),
        ("It was [THINK] good\ufe0f.\r\nVery good.", "(THINK] good. Very", "[THINK] good\ufe0f.\r\nVery"),
        ("\U000e0141\U000e0142Not bad", "Not bad", "Not bad"),
    ],
)
def test_a_quotation_of_what_the_model_was_shown_is_told_as_the_log_has_it(
    content: str, quote: str, found: str
) -> None:
    log = ConversationLog(messages=(Message(Role.USER, content),))
    ((evidence,), flags) = checked([Quote(0, quote)], log)
    assert (evidence.quote, flags) == (found, ())
