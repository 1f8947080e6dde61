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


FILMS = [item("Star Cargo", 0.97), item("Moon Miners", 0.99)]
MUGS = ("Stoneware mug 300 ml white", "Stoneware mug 300 ml ivory", "Stoneware mug 300 ml cream")
ASKED, LIMITED = user("A lamp, please."), user("A lamp for at most 40 euros.")
OFFER = reply("I would take the Corin Lamp for that corner.")
QUESTION = reply("What did you like about that lamp?")
OBVIOUS = reply("Here:", "Star Cargo", "Moon Miners")
SEARCHED = (user("A shelf, please."), *tool(SHELVES))
FAILED = (user("Put it in my cart."), *tool({"success": False, "error": "cart unavailable"}))
SEEN = (user("A film?"), reply('Try "Harbour Lights" (2011).'), user("I've already seen Harbour Lights."))
GERMAN = reply("Die Lampe passt sehr gut in die Ecke und ist noch auf Lager.")
ENGLISH = reply("The lamp fits the corner very well and it is still in stock.")
LEAKS = (
    "The {{product_name}} is in stock.",
    "It opens at ${opening}.",
    'Here you are: [{"title": "Corin Lamp", "price": 12}]',
    "Try <ITEM_3>, it is nice.",
    "As an AI language model I cannot see the shelf.",
    "<|im_start|>Try the Corin Lamp.",
)
ERRORS = ("Internal Server Error", "Error 502: Bad Gateway", "KeyError: 'title'", "{}", "None")
BRACKETS = (
    "It costs [approx.] 12.",
    "Use size {S} or {M}.",
    "The set {lamp, shade} is on sale.",
    "See [here](x).",
)


@pytest.mark.parametrize(
    ("fault", "messages", "items"),
    [
        ("broken-grammar", [ASKED, reply("Try this one. is a great comedy.")], []),
        ("no-reply", [user("Any lamps under 40?"), user("Hello??")], []),
        *(("unintelligible", [ASKED, reply(text)], []) for text in ERRORS),
        *(("template-leak", [ASKED, reply(text)], []) for text in LEAKS),
        ("loops", [ASKED, OFFER, user("Too bright, another?"), OFFER], []),
        ("wrong-language", [user("Which lamp would you take for the corner?"), GERMAN], []),
        ("wrong-language", [user("Welche Lampe würden Sie für die Ecke nehmen?"), ENGLISH], []),
        ("breaks-constraint", [LIMITED, reply("The Corin Lamp is right for you, it costs 65 euros.")], []),
        ("repeats-refused", [*SEEN, reply('You could watch "Harbour Lights", it is lovely.')], []),
        ("contradicts-data", [*SEARCHED, reply("The Birk Shelf costs $59.")], []),
        ("contradicts-data", [*FAILED, reply("Done, it is in your cart.")], []),
        ("invented-item", [*SEARCHED, reply("These two:", "Birk Shelf", "Fenwood Shelf")], []),
        ("list-mismatch", [ASKED, reply("I recommend the Corin Lamp.", "Alder Lamp")], LAMPS),
        ("near-duplicates", [user("Some mugs?"), reply("Here:", *MUGS)], []),
        ("only-obvious", [user("Something I haven't heard of?"), OBVIOUS], FILMS),
    ],
)
def test_a_fault_is_found(fault: str, messages: list[Raw], items: list[Raw]) -> None:
    assert fault in slugs(*messages, items=items)


@pytest.mark.parametrize(
    ("messages", "items"),
    [
        ([user("A comedy, please."), reply("Airplane! is a great comedy.")], []),
        ([user("A comedy, please."), reply("Mamma Mia! was made in 2008.")], []),
        ([user("Any lamps?"), reply("The Corin."), user("Great, thanks!")], []),
        ([user("As JSON please."), reply('{"title": "Corin Lamp"}')], []),
        ([LIMITED, reply("The Corin Lamp costs 65 euros, which is over your limit, but it lasts.")], []),
        ([LIMITED, reply("The Corin Lamp costs 35 euros.")], []),
        ([LIMITED, reply("Shade and lamp: 25 euros and 65 euros.")], []),
        ([*SEEN, reply('Since you have seen "Harbour Lights", try "Stone Gate" (2014).')], []),
        ([*SEARCHED, reply("The Birk Shelf costs $45.")], []),
        ([*FAILED, reply("Sorry, the cart is not available right now.")], []),
        ([*SEARCHED, reply("These two:", "Birk Shelf", "Oakline Shelf")], []),
        ([ASKED, reply("I recommend the Corin Lamp.", "Alder Lamp", "Corin Lamp")], LAMPS),
        ([user("The same mug in other colours?"), reply("Here:", *MUGS)], []),
        ([user("Something everybody loves?"), OBVIOUS], FILMS),
    ],
)
def test_what_only_looks_like_a_fault_is_none(messages: list[Raw], items: list[Raw]) -> None:
    assert slugs(*messages, items=items) == set()


@pytest.mark.parametrize(
    ("fault", "messages"),
    [
        *(("template-leak", [ASKED, reply(text)]) for text in BRACKETS),
        ("loops", [ASKED, OFFER, user("Sorry, say that again?"), OFFER]),
        ("loops", [user("I own one."), QUESTION, user("The shade."), reply("And which other one do you own?"), user("The Corin."), QUESTION]),
        ("wrong-language", [user("Welche Lampe würden Sie nehmen?"), GERMAN]),
        ("wrong-language", [user("Can you answer in German please?"), GERMAN]),
    ],
)  # fmt: skip
def test_what_only_looks_like_one_fault_is_not_that(fault: str, messages: list[Raw]) -> None:
    assert fault not in slugs(*messages)


@pytest.mark.parametrize(
    "wish", ["Anything but red, please.", "I can't stand red.", "Skip the red ones.", "A lamp, just not red."]
)
def test_an_excluded_item_is_seen_in_a_list_and_in_a_text(wish: str) -> None:
    listed = found(user(wish), reply("Here is one.", "Vesper Lamp"), items=LAMPS)
    assert [(one.fault, one.certain, one.message) for one in listed] == [("ignores-exclusion", True, 1)]
    assert listed[0].quotes[0] in wish
    assert "ignores-exclusion" in slugs(user(wish), reply("I recommend the Vesper Lamp."), items=LAMPS)
    assert slugs(user(wish), reply("I recommend the Corin Lamp, not the Vesper Lamp."), items=LAMPS) == set()


@pytest.mark.parametrize(
    ("wanted", "offered"),
    [
        ("Soup without coriander, please.", "The Pho is rich, with coriander and lime."),
        ("A sofa, but not velvet.", "The Bergen is a velvet sofa with deep seats."),
        ("Something to watch, nothing with zombies.", "Try Night Shift: zombies take over a mall."),
        ("I'm allergic to wool, which scarf is warm?", "The Skye is a thick wool scarf."),
        ("Anything but country music!", "Then Dusty Roads, a fine country album."),
        ("I can't eat shellfish.", "The house special is a bowl of shellfish in cream."),
    ],
)
def test_a_reply_that_offers_what_was_ruled_out_ignores_it(wanted: str, offered: str) -> None:
    (fault,) = found(user(wanted), reply(offered))
    assert (fault.fault, fault.message, fault.certain) == ("ignores-exclusion", 1, False)
    assert fault.quotes[1] == offered


@pytest.mark.parametrize(
    ("wanted", "offered"),
    [
        ("Soup without coriander, please.", "The Pho comes without coriander if you ask."),
        ("Soup without coriander, please.", "The Pho is coriander-free."),
        ("A sofa, but not velvet.", "The Bergen looks like velvet, but it is cotton."),
        ("A sofa, but not velvet.", "Understood, velvet is out. The Bergen is made of cotton."),
        ("No rush, I have time.", "There is a rush before the holidays."),
        ("Not a horror film?", "It is a horror film, and a gentle one."),
        ("I have not seen it.", "You should have seen it by now, everybody has."),
    ],
)
def test_a_reply_that_keeps_clear_of_what_was_ruled_out_does_not(wanted: str, offered: str) -> None:
    assert found(user(wanted), reply(offered)) == []


def test_an_exclusion_ends_when_the_user_brings_the_thing_up_again() -> None:
    talk = [user("No velvet, please."), reply("Then the Bergen."), user("Show me the velvet one after all.")]
    assert found(*talk, reply("The Oslo has velvet seats.")) == []


@pytest.mark.parametrize("limit", ["under 90 a night", "at most 90 per night", "less than 90"])
def test_a_limit_needs_no_currency(limit: str) -> None:
    (fault,) = found(user(f"A hotel in Porto, {limit}."), reply("The Ribeira is lovely: 180 euros a night."))
    assert fault.fault == "breaks-constraint"
