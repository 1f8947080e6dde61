"""Offers and failures of tools, and the replies after them."""

import json

import pytest

from service.domain.parts import Card, ToolResult
from service.grounding.results import MOST_RECORDS, read_result
from tests.unit.grounding.logs import JACKETS, card, grounding, reply, searched, user

ASKED = user("A rain jacket, please.")


@pytest.mark.parametrize(
    "said",
    [
        json.dumps(JACKETS),
        json.dumps({"results": JACKETS}),
        json.dumps({"title": "Search results", "data": {"products": JACKETS}}),
        json.dumps({one["id"]: {"name": one["title"], "price": {"amount": one["price"]}} for one in JACKETS}),
        json.dumps(
            {
                "items": [
                    {"product_id": one["id"], "price": one["price"], "product_name": one["title"]}
                    for one in JACKETS
                ]
            }
        ),
    ],
)
def test_items_are_found_wherever_they_stand(said: str) -> None:
    found = read_result(1, ToolResult(said), said, "search")
    assert found.holds_items
    assert [(one.title, one.prices[0].value) for one in found.records if one.prices] == [
        (one["title"], one["price"]) for one in JACKETS
    ] or "data" not in said
    assert {one.title for one in found.records} == {one["title"] for one in JACKETS}


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        ('{"error": "service unavailable"}', True),
        ('{"status": 503, "message": "try later"}', True),
        ('{"success": false}', True),
        ('{"status": "error"}', True),
        ("Error: timed out", True),
        ('{"error": null, "results": []}', False),
        ('{"status": "ok", "errors": []}', False),
        ("[]", False),
        ("Trial and Error (1997) is a comedy.", False),
    ],
)
def test_an_error_is_told_from_an_answer(said: str, failed: bool) -> None:
    assert read_result(1, ToolResult(said), said, None).failed is failed
    assert read_result(1, ToolResult(said, error=True), said, None).failed


def test_a_result_is_read_to_a_bound_and_to_a_depth() -> None:
    many = json.dumps([{"title": f"Jacket {number}"} for number in range(MOST_RECORDS + 50)])
    assert len(read_result(1, ToolResult(many), many, None).records) == MOST_RECORDS
    deep = '{"a":' * 5_000 + "1" + "}" * 5_000
    assert not read_result(1, ToolResult(deep), deep, None).records


def offered(*messages: object) -> list[bool | None]:
    return [one.offered for one in grounding(*messages).shown]  # type: ignore[arg-type]


def test_items_that_no_result_holds_are_told() -> None:
    shown = reply("", Card("j1"), card("Moorland Parka"), card("Drizzle Zip"))
    assert offered(ASKED, *searched(), shown) == [True, True, False]


def test_a_result_in_words_offers_what_it_names() -> None:
    search = searched("We have the Fellwind Shell and the Moorland Parka.")
    both = searched()
    shown = reply("", card("Fellwind Shell"))
    assert offered(ASKED, *search, shown) == []  # no result surely offers items
    assert offered(ASKED, *both, *searched("Also: Drizzle Zip."), reply("", card("Drizzle Zip"))) == [True]


def test_what_the_user_named_first_needs_no_tool() -> None:
    asked = user("Do you have the Drizzle Zip?")
    assert offered(asked, *searched(), reply("", card("Drizzle Zip"), card("Storm Cape"))) == [None, False]


def test_a_missing_year_matches_any_and_another_does_not() -> None:
    search = searched([{"title": "Heat (1995)", "rating": 4}, {"title": "Ronin", "rating": 4}])
    shown = reply("", Card("Heat"), Card("Heat (1995)"), Card("Ronin (1998)"), Card("Heat (1986)"))
    assert offered(ASKED, *search, shown)[:3] == [True, True, True]
    held = grounding(ASKED, *search, reply("", card("Heat (1986)", rating=1.0)))
    assert not held.statements


@pytest.mark.parametrize(
    ("then", "unused"),
    [
        ((reply("", Card("j2")),), False),
        ((reply("Take the Skerry Coat."),), False),
        ((reply("What is it for?"),), True),
        ((reply("What is it for?"), user("Hiking."), reply("Fellwind Shell then.")), False),
        ((reply("", card("Drizzle Zip")),), True),
    ],
)
def test_a_result_is_used_where_a_later_reply_shows_or_names_an_item(
    then: tuple[object, ...], unused: bool
) -> None:
    held = grounding(ASKED, *searched(), *then)  # type: ignore[arg-type]
    assert [fault for _, _, fault in held.unused] == [unused]


def test_a_result_without_items_or_without_a_reply_is_left_alone() -> None:
    assert not grounding(ASKED, *searched({"sky": "sunny"}), reply("Fine.")).unused
    assert not grounding(ASKED, *searched()).unused


FAILURE = searched({"error": "service unavailable"})


@pytest.mark.parametrize(
    ("then", "passed"),
    [
        ((reply("Sorry, I could not look that up."),), False),
        ((reply("I don\u2019t know, the search does not answer."),), False),
        ((reply("The best is the Drizzle Zip."),), True),
        ((*searched(call="c2"), reply("Take the Fellwind Shell.")), False),
        ((*searched(name="weather", call="c2"), reply("Take the Fellwind Shell.")), True),
        ((reply("One moment."), reply("Unfortunately nothing can be found right now.")), False),
    ],
)
def test_an_error_is_owned_up_to_or_mended_or_passed_over(then: tuple[object, ...], passed: bool) -> None:
    held = grounding(ASKED, *FAILURE, *then)  # type: ignore[arg-type]
    assert [fault for _, _, fault in held.errors] == [passed]
