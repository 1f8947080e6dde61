"""Statements of replies against their sources: tools first, then the log's items, then the catalogue."""

import json
from dataclasses import replace

import pytest

from service.catalogue.catalogue import Catalogue
from service.domain.conversation import Message
from service.domain.parts import Card, ToolResult
from service.grounding.facts import Origin
from service.grounding.money import amounts
from service.grounding.results import MOST_RECORDS, read_result
from service.grounding.statements import Of
from tests.unit.grounding.logs import JACKETS, card, grounding, jacket_items, reply, searched, user

ASKED = user("A rain jacket, please.")


def stated(*messages: Message, **beside: object) -> list[tuple[str, Of, bool]]:
    return [
        (one.title, one.of, one.holds)
        for one in grounding(*messages, **beside).statements  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fellwind Shell costs 99 euros.", [("Fellwind Shell", Of.PRICE, False)]),
        ("Fellwind Shell costs 109 euros.", [("Fellwind Shell", Of.PRICE, True)]),
        ("I suggest the Fellwind Shell (€99).", [("Fellwind Shell", Of.PRICE, False)]),
        ("Fellwind Shell kostet 99 Euro.", [("Fellwind Shell", Of.PRICE, False)]),
        ("Fellwind Shell weighs only 320 g.", [("Fellwind Shell", Of.ATTRIBUTE, False)]),
        ("Fellwind Shell weighs 0.54 kg.", [("Fellwind Shell", Of.ATTRIBUTE, True)]),
        ("Moorland Parka at 98 EUR.", [("Moorland Parka", Of.PRICE, False)]),
        ("Take the Fellwind Shell. It costs 99 euros.", [("Fellwind Shell", Of.PRICE, False)]),
        ("Fellwind Shell is rated 4.8.", [("Fellwind Shell", Of.RATING, False)]),
        ("Fellwind Shell has 4.4 stars.", [("Fellwind Shell", Of.RATING, True)]),
        ("The Moorland Parka is in stock.", [("Moorland Parka", Of.STOCK, False)]),
        ("The Moorland Parka is sold out.", [("Moorland Parka", Of.STOCK, True)]),
        ("The Moorland Parka is made of red wool.", [("Moorland Parka", Of.ATTRIBUTE, False)]),
        (
            "The Moorland Parka is blue, has a lining and costs 99 euros.",
            [("Moorland Parka", Of.PRICE, False), ("Moorland Parka", Of.ATTRIBUTE, True)],
        ),
        ("Skerry Coat: only 2 left.", [("Skerry Coat", Of.STOCK, False)]),
        ("The Fellwind Shell is blue.", [("Fellwind Shell", Of.ATTRIBUTE, False)]),
        ("The Fellwind Shell comes in green.", [("Fellwind Shell", Of.ATTRIBUTE, True)]),
        ("The Moorland Parka has a hood.", [("Moorland Parka", Of.ATTRIBUTE, False)]),
        (
            "Fellwind Shell (109 €) and Moorland Parka (79 €).",
            [("Fellwind Shell", Of.PRICE, True), ("Moorland Parka", Of.PRICE, False)],
        ),
    ],
)
def test_a_text_is_held_against_what_a_tool_said(text: str, found: list[tuple[str, Of, bool]]) -> None:
    assert stated(ASKED, *searched(), reply(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        "Does the Fellwind Shell cost 99 euros?",
        "Fellwind Shell weighs 320 g less.",
        "Fellwind Shell weighs 900 g with its bag.",
        "Fellwind Shell is under your budget of 120 euros.",
        "Fellwind Shell costs about 100 euros.",
        "Fellwind Shell is 20 euros cheaper.",
        "Fellwind Shell, with 15 euros for shipping.",
        "Fellwind Shell and Moorland Parka cost 99 and 79 euros.",
        "Fellwind Shell was 139 euros.",
        "If the Moorland Parka is in stock, take it.",
        "The Fellwind Shell is not blue.",
        "The Unheard Poncho costs 99 euros.",
        "Fellwind Shell has a rating of 9/10.",
        "Fellwind Shell is a classic.",
        "Fellwind Shell has 3 stars.",
        "For the Fellwind Shell I'd get the belt at 19 euros.",
        "A used Fellwind Shell costs 59 euros.",
        "The Fellwind Shell cost 139 euros at first.",
        "The Fellwind Shell together with the parka costs 180 euros.",
        "The Fellwind Shell is 99 euros for students.",
        "The Fellwind Shell is 99 euros on Fridays.",
        "The Fellwind Shell costs 99 euros, in size M 109.",
        "The Fellwind Shell is blue inside and green outside.",
        "Fellwind Shell has 3.5 of 5 stars.",
        "The Moorland Parka is in stock in size M.",
        "The Fellwind Shell costs 99 euros with the student discount.",
        "The Fellwind Shell costs €1.09.",
    ],
)
def test_what_states_nothing_for_certain_is_not_held_against_anything(text: str) -> None:
    assert stated(ASKED, *searched(), reply(text)) == []


def test_a_tool_is_trusted_before_the_log_and_the_log_before_the_catalogue() -> None:
    items = jacket_items()
    shop = Catalogue.of([replace(items[0], price=1.0)], "shop")
    said = (ASKED, *searched([JACKETS[0]]), reply("", card("Fellwind Shell", price=109.0, currency="EUR")))
    for messages, own, origin, price in (
        (said, [replace(items[0], price=2.0)], Origin.TOOL, "109 EUR"),
        ((said[0], said[-1]), [replace(items[0], price=2.0)], Origin.LOG, "2 EUR"),
        ((said[0], said[-1]), [], Origin.CATALOGUE, "1 EUR"),
    ):
        (found,) = grounding(*messages, items=own, catalogue=shop).statements
        assert (found.source.origin, found.actual) == (origin, price)


def test_a_source_answers_what_a_better_one_leaves_open() -> None:
    search = searched([{"id": "j1", "title": "Fellwind Shell"}])
    (found,) = grounding(
        ASKED, *search, reply("", card("Fellwind Shell", rating=3.0)), items=jacket_items()
    ).statements
    assert (found.of, found.source.origin, found.holds) == (Of.RATING, Origin.LOG, False)


def test_cards_are_no_source() -> None:
    shown = reply("Pocket Squall costs 80 euros.", card("Pocket Squall", price=74.9, currency="EUR"))
    assert stated(ASKED, shown) == []


def test_an_id_is_as_good_as_a_title() -> None:
    search = searched({"results": {"j9": {"price": "€ 1.299,00", "availability": "sold out"}}})
    shown = Card("j9", card("Storm Cape", price=1299.0, currency="EUR", stock=3).item)
    found = stated(ASKED, *search, reply("", shown))
    assert found == [("Storm Cape", Of.PRICE, True), ("Storm Cape", Of.STOCK, False)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Lumo A5 costs 279 dollars, the A7 $1,299.50", [279, 1299.5]),
        ("from 480 euros, or €95 a night", [480, 95]),
        ("about 14 bucks, £9", [14, 9]),
        ("made in 1999, 120 minutes, 20% off, 8/10, US$5, A$ 12", [5, 12]),
        (
            "R$ 1.200,00, 3000 reais, €2k, 1.5k euros, 20 000 kr, Rs. 5000",
            [1200, 3000, 2000, 1500, 20000, 5000],
        ),
        ("fifty quid, a hundred and twenty euros, thirty-five dollars", [50, 120, 35]),
        ("₹6.5 lakh, 2 crore rupees, €1.25m, 2 million euros", [650_000, 20_000_000, 1_250_000, 2_000_000]),
        ("a 4K screen for 15 500 steps, $20% is not a price", []),
        ("no money here", []),
        ("5 euroscope", []),
    ],
)
def test_prices_are_found(text: str, found: list[float]) -> None:
    assert [amount.value for amount in amounts(text) if amount.currency] == found


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
    found = read_result(1, ToolResult(said), "search")
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
    assert read_result(1, ToolResult(said), None).failed is failed
    assert read_result(1, ToolResult(said, error=True), None).failed


def test_a_result_is_read_to_a_bound_and_to_a_depth() -> None:
    many = json.dumps([{"title": f"Jacket {number}"} for number in range(MOST_RECORDS + 50)])
    assert len(read_result(1, ToolResult(many), None).records) == MOST_RECORDS
    deep = '{"a":' * 5_000 + "1" + "}" * 5_000
    assert not read_result(1, ToolResult(deep), None).records


def offered(*messages: object) -> list[bool | None]:
    return [one.offered for one in grounding(*messages).shown]  # type: ignore[arg-type]


def test_a_result_in_words_offers_what_it_names() -> None:
    search = searched("We have the Fellwind Shell and the Moorland Parka.")
    both = searched()
    shown = reply("", card("Fellwind Shell"))
    assert offered(ASKED, *search, shown) == []  # no result surely offers items
    assert offered(ASKED, *both, *searched("Also: Drizzle Zip."), reply("", card("Drizzle Zip"))) == [True]


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
        ((reply("Take the Drizzle Zip, the search is down today."),), False),
        ((reply("The best is the Drizzle Zip."),), True),
        ((*searched(call="c2"), reply("Take the Fellwind Shell.")), False),
        ((*searched(name="weather", call="c2"), reply("Take the Fellwind Shell.")), True),
        ((reply("One moment."), reply("Unfortunately nothing can be found right now.")), False),
    ],
)
def test_an_error_is_owned_up_to_or_mended_or_passed_over(then: tuple[object, ...], passed: bool) -> None:
    held = grounding(ASKED, *FAILURE, *then)  # type: ignore[arg-type]
    assert [fault for _, _, fault in held.errors] == [passed]
