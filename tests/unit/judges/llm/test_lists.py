"""Lists of itemised verdicts: keyed entries where code knows their number, else a count of the replies that were read."""

import json
from typing import Any

import pytest

from service.domain.completion import Completion, Usage
from service.domain.conversation import ConversationLog, Message, Role
from service.factors import load_factors
from service.judges.evaluation import JudgeInput
from service.judges.llm.answer import Failure, RatedAnswer, Unreadable
from service.judges.llm.itemised.outline import outline_of
from service.judges.llm.verdicts import ListReader
from tests.factories import instance, known

FACTORS = load_factors()
LOG = ConversationLog(
    messages=(
        Message(Role.USER, "A calm film, please."),
        Message(Role.ASSISTANT, "Try Paper Lanterns."),
        Message(Role.ASSISTANT, "It is a slow one.", ("Paper Lanterns", "Moss & Stone")),
        Message(Role.USER, "Who made it?"),
        Message(Role.ASSISTANT, "Ada Quill maked it."),
    )
)
CASE = JudgeInput(LOG)


def reader(slug: str) -> ListReader:
    return ListReader((FACTORS[slug],), outline_of(CASE), CASE)


def read(slug: str, answer: dict[str, Any]) -> Any:
    return reader(slug).read(Completion(json.dumps(answer), "m", Usage()))[slug]


SERVES = {"wanted": "a calm film", "serves": True}


@pytest.mark.parametrize(
    ("slug", "keys"), [("coherence", ["1", "4"]), ("novelty", ["1", "2"]), ("grammatical-correctness", None)]
)
def test_the_schema_requires_an_entry_under_each_key(slug: str, keys: list[str] | None) -> None:
    items = json.loads(reader(slug).schema)["properties"]["items"]
    assert items.get("required") == keys
    assert items["type"] == ("array" if keys is None else "object")


def test_an_entry_for_each_reply_makes_a_level() -> None:
    found = instance(
        RatedAnswer, read("coherence", {"items": {"1": SERVES, "4": SERVES | {"serves": False}}})
    )
    assert (known(found.counts)["counted"], known(found.counts)["met"]) == (2, 1)


@pytest.mark.parametrize(
    "items", [{}, [], {"1": SERVES}, {"1": SERVES, "4": None}, {"1": SERVES, "2": SERVES}]
)
def test_a_reply_without_an_entry_makes_none(items: object) -> None:
    assert isinstance(read("coherence", {"items": items}), Unreadable)


def test_items_are_known_by_their_numbers() -> None:
    found = read(
        "novelty",
        {"items": {"1": {"little_known": True, "why": "x"}, "2": {"little_known": False, "why": "y"}}},
    )
    assert isinstance(found, RatedAnswer)
    assert (known(found.counts)["items"], known(found.counts)["little_known"]) == (2, 1)
    assert "Paper Lanterns" in found.rationale


SLIP = {"message": 4, "quote": "maked", "error": "made"}


def test_a_list_of_all_replies_counts() -> None:
    for items, score in (([], 4), ([SLIP], 3)):
        found = instance(RatedAnswer, read("grammatical-correctness", {"items": items, "replies_read": 3}))
        assert found.score == score


@pytest.mark.parametrize("named", [{}, {"replies_read": 2}, {"replies_read": 9}, {"replies_read": True}])
def test_a_list_that_does_not_cover_all_replies_is_asked_for_again(named: dict[str, Any]) -> None:
    empty = instance(Unreadable, read("grammatical-correctness", {"items": [], **named}))
    assert isinstance(empty.fallback, Failure)
    assert empty.fallback.code == "replies_not_read"
    if not named:
        return
    partly = instance(Unreadable, read("grammatical-correctness", {"items": [SLIP], **named}))
    assert isinstance(partly.fallback, RatedAnswer)
    assert "replies_not_read" in {flag.code for flag in partly.fallback.flags}
    assert reader("grammatical-correctness").problem_of(json.dumps({"items": [SLIP], **named}))
