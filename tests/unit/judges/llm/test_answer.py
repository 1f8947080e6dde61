# ruff: noqa: RUF001 - lookalike characters are what some of this is about

import json
import time

import pytest

from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Factor
from service.judges.llm.answer import Quote, RatedAnswer, Unreadable, checked, read_answer
from tests.factories import instance
from tests.unit.judges.llm.conftest import make_factor

GOOD = {"rationale": "Clear.", "evidence": [{"message": 1, "quote": "Try it"}], "score": 3}


def read(text: str, factor: Factor | None = None) -> RatedAnswer | Unreadable:
    factor = factor or make_factor()
    return read_answer(text, [factor])[factor.slug]


def said(**fields: object) -> str:
    return json.dumps(GOOD | fields)


def rated(text: str, factor: Factor | None = None) -> RatedAnswer:
    return instance(RatedAnswer, read(text, factor))


@pytest.mark.parametrize(
    "text",
    [
        f"<think>Perhaps {{score: 1}}? No.</think>{said()}",
        said(score=1) + "\nOn second thought:\n" + said(),
        said() + ' {"note": "done"}',
        json.dumps({"clarity": GOOD}),
        said(score=3.0),
        said(score="3"),
        said().replace("Clear.", "Clear.\n"),
        said(rationale='The user wrote {"score": 4}.').replace("3}", "3}"),
    ],
)
def test_text_around_the_last_verdict_does_not_matter(text: str) -> None:
    assert rated(text).score == 3


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "3",
        said(rationale=["Clear."]),
        said(score="3/4"),
        said(score=float("nan")),
        '{"rationale": "The log said {"rationale": "x", "score": 4} and", "score": 0}',
        said(score=None).replace("null", "1" * 5000),
    ],
)
def test_no_score_is_made_up_for_an_answer_without_a_sound_last_verdict(text: str) -> None:
    assert isinstance(read(text), Unreadable)


def test_a_score_of_null_says_that_there_was_nothing_to_rate() -> None:
    found = rated(said(score=None, assessable=False))
    assert (found.score, found.assessable) == (None, False)


@pytest.mark.parametrize(("no_occasion", "score"), [(None, None), (4, 4), (0, 0)])
def test_null_is_the_level_for_logs_without_an_occasion(no_occasion: int | None, score: int | None) -> None:
    found = rated(said(score=None), make_factor(no_occasion=no_occasion))
    assert (found.score, found.assessable) == (score, False)
    sure = rated(said(score=4), make_factor(no_occasion=no_occasion))
    assert (sure.score, sure.assessable) == (4, True)


def test_quotes_are_taken_where_they_are_quotes() -> None:
    evidence = [
        "plain",
        {"quote": "no number"},
        {"message": "2", "quote": "text for a number"},
        {"message": 3},
        7,
        {"message": True, "quote": "x"},
    ]
    assert rated(said(evidence=evidence)).quotes == (
        Quote(None, "plain"),
        Quote(None, "no number"),
        Quote(None, "text for a number"),
        Quote(None, "x"),
    )
    assert rated(said(evidence="none")).quotes == ()


def test_several_factors_are_read_each_by_itself() -> None:
    factors = [make_factor("clarity"), make_factor("warmth"), make_factor("tact")]
    text = json.dumps({"clarity": GOOD, "warmth": GOOD | {"score": 9}})
    found = read_answer(text, factors)
    assert isinstance(found["clarity"], RatedAnswer)
    assert found["warmth"] == Unreadable('warmth: "score" is none of the levels 0 to 4, nor null')
    assert found["tact"] == Unreadable('there is no object under "tact"')


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
        (99, "which is lighter", 1, "which is lighter"),
    ],
)
def test_a_quotation_that_occurs_in_the_log_is_kept_as_it_is_written_there(
    message: int | None, quote: str, where: int, text: str
) -> None:
    [evidence], flags = checked([Quote(message, quote)], LOG)
    assert (evidence.message, evidence.quote, flags) == (where, text, ())


@pytest.mark.parametrize(
    "quote", ["Try The Tin Soldier", "I was here last week", "…", '""', "a.*b", "thriller ... nothing"]
)
def test_a_quotation_that_does_not_is_dropped_and_flagged(quote: str) -> None:
    evidence, [flag] = checked([Quote(1, quote), Quote(1, "thriller")], LOG)
    assert [each.quote for each in evidence] == ["thriller"]
    assert (flag.code, flag.detail) == (
        "quote_not_found",
        "a quotation that does not occur in the interaction was dropped",
    )


def test_the_same_passage_is_quoted_once_with_the_id_of_its_message() -> None:
    [evidence], flags = checked([Quote(1, "thriller"), Quote(1, "THRILLER")], LOG)
    assert (evidence.message_id, flags) == ("m2", ())


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
def test_a_quotation_of_what_the_model_was_shown_is_given_as_the_log_has_it(
    content: str, quote: str, found: str
) -> None:
    log = ConversationLog(messages=(Message(Role.USER, content),))
    ((evidence,), flags) = checked([Quote(0, quote)], log)
    assert (evidence.quote, flags) == (found, ())
