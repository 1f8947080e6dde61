"""Computed faults: each on a conversation that has it and on one that only looks like it."""

import json
from typing import Any

import pytest

from service.api.wire.log import Log
from service.catalogue.catalogue import Catalogue
from service.domain.verdict import DetectedFault
from service.judges.computed.detect import detect_computed, plain_log
from service.judges.inquiry import Case

Raw = dict[str, Any]


def user(text: str) -> Raw:
    return {"role": "user", "content": text}


def reply(text: str, *shown: str, **more: Any) -> Raw:
    return {
        "role": "assistant",
        "content": text,
        **({"recommendations": list(shown)} if shown else {}),
        **more,
    }


def tool(content: object) -> list[Raw]:
    call = {"type": "tool_call", "id": "c1", "name": "search", "arguments": "{}"}
    result = {"type": "tool_result", "call": "c1", "content": json.dumps(content)}
    return [
        {"role": "assistant", "content": "", "parts": [call]},
        {"role": "tool", "content": "", "parts": [result]},
    ]


def item(title: str, popularity: float | None = None, **attributes: str) -> Raw:
    values = {name: [value] for name, value in attributes.items()}
    return {
        "title": title,
        "attributes": values,
        **({} if popularity is None else {"popularity": popularity}),
    }


def found(*messages: Raw, **more: Any) -> list[DetectedFault]:
    log = Log.model_validate({"domain": "shopping", "messages": list(messages), **more}).value()
    case = Case(log, Catalogue.of_log(log, None))
    return list(detect_computed(case, plain_log(case)))


def slugs(*messages: Raw, **more: Any) -> set[str]:
    return {one.fault for one in found(*messages, **more)}


LAMPS = [
    item("Vesper Lamp", colour="red"),
    item("Corin Lamp", colour="green"),
    item("Alder Lamp", colour="blue"),
]
SHELVES = [
    {"title": "Oakline Shelf", "price": 89, "stock": 0},
    {"title": "Birk Shelf", "price": 45, "stock": 4},
]


@pytest.mark.parametrize("text", ["Airplane! is a great comedy.", "Mamma Mia! was made in 2008."])
def test_a_title_that_ends_with_a_mark_is_no_broken_sentence(text: str) -> None:
    assert slugs(user("A comedy, please."), reply(text)) == set()


def test_a_sentence_without_its_subject_is_broken() -> None:
    assert "broken-grammar" in slugs(user("A comedy, please."), reply("Try this one. is a great comedy."))


def test_an_unanswered_wish_is_a_missing_reply() -> None:
    assert slugs(user("Any lamps under 40?"), user("Hello??")) == {"no-reply"}
    assert slugs(user("Any lamps?"), reply("The Corin."), user("Great, thanks!")) == set()
    assert slugs(user("Any lamps?"), complete=False) == set()


@pytest.mark.parametrize(
    "text", ["Internal Server Error", "Error 502: Bad Gateway", "KeyError: 'title'", "{}", "None"]
)
def test_an_error_text_is_unintelligible(text: str) -> None:
    assert "unintelligible" in slugs(user("Any lamps?"), reply(text))


@pytest.mark.parametrize(
    "text",
    [
        "The {{product_name}} is in stock.",
        "It opens at ${opening}.",
        'Here you are: [{"title": "Corin Lamp", "price": 12}]',
        "Try <ITEM_3>, it is nice.",
        "As an AI language model I cannot see the shelf.",
        "<|im_start|>Try the Corin Lamp.",
    ],
)
def test_text_of_the_machine_is_a_leak(text: str) -> None:
    assert "template-leak" in slugs(user("Which lamp?"), reply(text))


@pytest.mark.parametrize(
    "text",
    ["It costs [approx.] 12.", "Use size {S} or {M}.", "The set {lamp, shade} is on sale.", "See [here](x)."],
)
def test_brackets_alone_are_no_leak(text: str) -> None:
    assert "template-leak" not in slugs(user("Which lamp?"), reply(text))


def test_json_for_somebody_who_asks_for_it_is_no_leak() -> None:
    assert slugs(user("As JSON please."), reply('{"title": "Corin Lamp"}')) == set()


def test_a_reply_said_again_loops_unless_it_was_asked_for_again() -> None:
    text = "I would take the Corin Lamp for that corner."
    assert "loops" in slugs(user("A lamp?"), reply(text), user("Too bright, another?"), reply(text))
    assert "loops" not in slugs(user("A lamp?"), reply(text), user("Sorry, say that again?"), reply(text))
    question = "What did you like about that lamp?"
    between = (user("The shade."), reply("And which other one do you own?"), user("The Corin."))
    assert "loops" not in slugs(user("I own one."), reply(question), *between, reply(question))


def test_a_reply_in_another_language_than_the_users() -> None:
    german = "Die Lampe passt sehr gut in die Ecke und ist noch auf Lager."
    english = "The lamp fits the corner very well and it is still in stock."
    assert "wrong-language" in slugs(user("Which lamp would you take for the corner?"), reply(german))
    assert "wrong-language" in slugs(user("Welche Lampe würden Sie für die Ecke nehmen?"), reply(english))
    assert "wrong-language" not in slugs(user("Welche Lampe würden Sie nehmen?"), reply(german))
    assert "wrong-language" not in slugs(user("Can you answer in German please?"), reply(german))


@pytest.mark.parametrize(
    "wish", ["Anything but red, please.", "I can't stand red.", "Skip the red ones.", "A lamp, just not red."]
)
def test_an_excluded_item_is_seen_in_a_list_and_in_a_text(wish: str) -> None:
    listed = found(user(wish), reply("Here is one.", "Vesper Lamp"), items=LAMPS)
    assert [(one.fault, one.certain, one.message) for one in listed] == [("ignores-exclusion", True, 1)]
    assert listed[0].quotes[0] in wish
    assert "ignores-exclusion" in slugs(user(wish), reply("I recommend the Vesper Lamp."), items=LAMPS)
    assert slugs(user(wish), reply("I recommend the Corin Lamp, not the Vesper Lamp."), items=LAMPS) == set()


def test_a_price_over_the_limit_breaks_it() -> None:
    limit = user("A lamp for at most 40 euros.")
    [broken] = found(limit, reply("The Corin Lamp is right for you, it costs 65 euros."))
    assert (broken.fault, broken.certain) == ("breaks-constraint", True)
    assert (
        slugs(limit, reply("The Corin Lamp costs 65 euros, which is over your limit, but it lasts.")) == set()
    )
    assert slugs(limit, reply("The Corin Lamp costs 35 euros.")) == set()
    assert slugs(limit, reply("Shade and lamp: 25 euros and 65 euros.")) == set()


def test_what_the_user_has_is_not_offered_again() -> None:
    first = (
        user("A film?"),
        reply('Try "Harbour Lights" (2011).'),
        user("I've already seen Harbour Lights."),
    )
    assert "repeats-refused" in slugs(*first, reply('You could watch "Harbour Lights", it is lovely.'))
    assert slugs(*first, reply('Since you have seen "Harbour Lights", try "Stone Gate" (2014).')) == set()


def test_a_source_contradicts_a_price_a_stock_and_a_success() -> None:
    asked = (user("A shelf, please."), *tool(SHELVES))
    assert "contradicts-data" in slugs(*asked, reply("The Birk Shelf costs $59."))
    assert slugs(*asked, reply("The Birk Shelf costs $45.")) == set()
    failed = (user("Put it in my cart."), *tool({"success": False, "error": "cart unavailable"}))
    assert "contradicts-data" in slugs(*failed, reply("Done, it is in your cart."))
    assert slugs(*failed, reply("Sorry, the cart is not available right now.")) == set()


def test_an_item_that_no_result_holds_is_invented() -> None:
    asked = (user("A shelf, please."), *tool(SHELVES))
    assert "invented-item" in slugs(*asked, reply("These two:", "Birk Shelf", "Fenwood Shelf"))
    assert slugs(*asked, reply("These two:", "Birk Shelf", "Oakline Shelf")) == set()


def test_a_list_that_holds_nothing_of_its_text_does_not_match() -> None:
    asked = user("A lamp, please.")
    assert "list-mismatch" in slugs(asked, reply("I recommend the Corin Lamp.", "Alder Lamp"), items=LAMPS)
    assert (
        slugs(asked, reply("I recommend the Corin Lamp.", "Alder Lamp", "Corin Lamp"), items=LAMPS) == set()
    )


def test_items_that_hardly_differ_and_items_that_all_know() -> None:
    mugs = ("Stoneware mug 300 ml white", "Stoneware mug 300 ml ivory", "Stoneware mug 300 ml cream")
    assert "near-duplicates" in slugs(user("Some mugs?"), reply("Here:", *mugs))
    assert slugs(user("The same mug in other colours?"), reply("Here:", *mugs)) == set()
    known = [item("Star Cargo", 0.97), item("Moon Miners", 0.99)]
    asked = user("Something I haven't heard of?")
    shown = reply("Here:", "Star Cargo", "Moon Miners")
    assert "only-obvious" in slugs(asked, shown, items=known)
    assert slugs(user("Something everybody loves?"), shown, items=known) == set()


def test_quotes_of_a_certain_fault_stand_in_the_log_or_in_its_data() -> None:
    for one in found(user("Anything but red, please."), reply("I recommend the Vesper Lamp."), items=LAMPS):
        assert one.certain
        assert one.probability == 1
        assert 1 <= len(one.quotes) <= 2
