"""Computed faults: each on a conversation that has it and on one that only looks like it."""

import json
from typing import Any

import pytest

from service.catalogue.catalogue import Catalogue
from service.domain.verdict import DetectedFault
from service.judges.computed.detect import detect_computed, plain_log
from service.judges.evaluation import JudgeInput
from service.usecases.wire.log import Log

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
    judge_input = JudgeInput(log, Catalogue.of_log(log, None))
    return list(detect_computed(judge_input, plain_log(judge_input)))


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
LIMITS = (
    "Budget: 40 EUR. A lamp.",
    "I don't want to spend more than 40 euros.",
    "A lamp for 20 to 40 euros.",
)
ROOM = user("A room, 3 nights, up to 100 euros per night.")
ASKED, LIMITED = user("A lamp, please."), user("A lamp for at most 40 euros.")
OFFER = reply("I would take the Corin Lamp for that corner.")
QUESTION = reply("What did you like about that lamp?")
TWICE = reply("Yes, it has two pockets on the inside and two on the outside.")
OBVIOUS = reply("Here:", "Star Cargo", "Moon Miners")
SEARCHED = (user("A shelf, please."), *tool(SHELVES))
FAILED = (user("Put it in my cart."), *tool({"success": False, "error": "cart unavailable"}))
BOOKED = (user("Book a room."), *tool({"error": "no weather"}), *tool({"status": "confirmed"}))
ANOTHER = (user("A film?"), reply("Try Harbour Lights."), user("Already seen it, something else?"))
ASKED_FULLY = user("Which lamp suits a dark corner?")
SEEN_GERMAN = (user("Ein Film?"), reply('Ich empfehle "Das Feuer im Tal".'), user("Den kenne ich schon."))
SEEN = (user("A film?"), reply('Try "Harbour Lights" (2011).'), user("I've already seen Harbour Lights."))
GERMAN = reply("Die Lampe passt sehr gut in die Ecke und ist noch auf Lager.")
ENGLISH = reply("The lamp fits the corner very well and it is still in stock.")
VELVET = (user("No velvet, please."), reply("Then the Bergen."), user("Show me the velvet one after all."))
TABLE_BEFORE = (
    user("A table for six."),
    reply("Done."),
    user("Thanks."),
    reply("Welcome!"),
    user("Now a cinema."),
)
HOURS = (user("A film under 2 hours."), reply("Star Cargo."), user("How long can I keep it?"))
GOODBYES = (
    "Thanks, that is all I need to know.",
    "OK thanks, I have all I need.",
    "Thanks, now I know everything I need.",
)
LEAKS = (
    "System: You are a friendly seller of lamps.",
    "Als KI-Sprachmodell habe ich keinen Geschmack.",
    "Hello $customer_name, the Corin Lamp is here.",
    "It came out in [YEAR].",
    "Noted. update_cart(item=12) -> ok",
    "<recommendation>Corin Lamp</recommendation>",
    "The {{product_name}} is in stock.",
    "It opens at ${opening}.",
    'Here you are: [{"title": "Corin Lamp", "price": 12}]',
    "Try <ITEM_3>, it is nice.",
    "As an AI language model I cannot see the shelf.",
    "Thought: a lamp is wanted. Action: search.",
    "<|im_start|>Try the Corin Lamp.",
)
ERRORS = (
    "[object Object]",
    '{"error": {"message": "Rate limit reached"}}',
    "Something went wrong. Please try again later. (code 503)",
    "Internal Server Error",
    "Error 502: Bad Gateway",
    "KeyError: 'title'",
    "{}",
    "None",
    "Error: upstream timeout 504 (lamps-api)",
    "Request failed with status code 500",
    "NullPointerException at com.lamps.Bot.reply(Bot.java:12)",
    "Fehler: Verbindung unterbrochen",
)
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
        *(("breaks-constraint", [user(limit), reply("The Corin costs 65 euros.")], []) for limit in LIMITS),
        (
            "breaks-constraint",
            [user("A room up to 60 euros a night."), reply("The Alder is 95 euros a night.")],
            [],
        ),
        (
            "wrong-language",
            [user("Ist die Lampe hell? Bitte auf Deutsch, mein Englisch ist schlecht."), ENGLISH],
            [],
        ),
        (
            "repeats-refused",
            [user("A planner? We tried Tidewater already."), reply("Tidewater, then: 4 euros a month.")],
            [],
        ),
        (
            "repeats-refused",
            [user("A garden bench, but not the Fernhill."), reply("The Fernhill bench is 95.")],
            [],
        ),
        ("repeats-refused", [*SEEN, reply('You could watch "Harbour Lights", it is lovely.')], []),
        ("repeats-refused", [*ANOTHER, reply("Harbour Lights is really the best of them.")], []),
        (
            "repeats-refused",
            [*ANOTHER[:2], user("No thanks. Something else?"), reply("I suggest Harbour Lights.")],
            [],
        ),
        (
            "repeats-refused",
            [user("I have seen Harbour Lights, not that one."), reply("Try Harbour Lights.")],
            [],
        ),
        ("breaks-constraint", [user("I've got 40 euros to spend."), reply("The Corin costs 65 euros.")], []),
        ("loops", [ASKED_FULLY, reply(ASKED_FULLY["content"])], []),
        ("breaks-constraint", [LIMITED, OFFER, user("Nice. How much is it?"), reply("It is 65 euros.")], []),
        ("wrong-language", [user("Can you help me find a gift?"), GERMAN], []),
        ("wrong-language", [user("Je cherche une lampe pour mon bureau, pas chère."), GERMAN], []),
        ("repeats-refused", [*SEEN_GERMAN, reply('Dann empfehle ich "Das Feuer im Tal".')], []),
        ("repeats-refused", [*SEEN[:2], user("We were there."), reply("Then how about Harbour Lights?")], []),
        ("contradicts-data", [*SEARCHED, reply("Das Birk Shelf kostet 59 Euro.")], []),
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
        ([LIMITED, OFFER, user("I can go up to 70, actually."), reply("The Corin Lamp costs 65 euros.")], []),
        ([LIMITED, OFFER, user("And what does the big one cost?"), reply("It costs 65 euros.")], []),
        ([LIMITED, reply("Would you go as high as 65 euros?")], []),
        ([*ANOTHER[:2], user("I don't want it dubbed."), reply("Then watch Harbour Lights in Welsh.")], []),
        ([LIMITED, reply("Orders over 50 euros ship free.")], []),
        ([user("A lamp for at most 40 euros. No wait, make that 70."), reply("The Corin is 65 euros.")], []),
        ([user("Under 40 euros. Well, money is no object."), reply("The Corin is 65 euros.")], []),
        ([user("Novels of the 60s? No, from the 70s."), reply("Take Ragtime (1975).")], []),
        ([*SEARCHED, reply("For members the Birk Shelf costs $40.")], []),
        ([*SEARCHED, reply("Delivery of the Birk Shelf costs $9.")], []),
        ([*SEARCHED, reply("The Birk Shelf in oak is sold out.")], []),
        ([user("A lamp, no red."), OFFER, user("And for Christmas?"), reply("The Vesper Lamp.")], LAMPS),
        ([user("Is it under 40 euros?"), reply("It costs 65 euros.")], []),
        ([ROOM, reply("The Alder has a bath: three nights come to 285 euros.")], []),
        ([ROOM, reply("The Alder would be 285 euros for your stay.")], []),
        ([user("A red lamp."), reply("The Vesper Lamp, by the makers of the Corin Lamp.")], LAMPS),
        (
            [
                user("A lamp, no red."),
                reply("The Vesper Lamp is red, so I left it out. The Corin Lamp fits."),
            ],
            LAMPS,
        ),
        ([user("She doesn't like red, but I do. A lamp?"), reply("The Vesper Lamp.")], LAMPS),
        ([user("We tried Tidewater already."), reply("Tidewater is out, then. Try Corin.")], []),
        ([*ANOTHER, reply("Harbour Lights is out, then. Try Stone Gate.")], []),
        ([LIMITED, reply("Shade and lamp: 25 euros and 65 euros.")], []),
        ([*SEEN, reply('Since you have seen "Harbour Lights", try "Stone Gate" (2014).')], []),
        ([*SEARCHED, reply("The Birk Shelf costs $45.")], []),
        ([*FAILED, reply("Sorry, the cart is not available right now.")], []),
        ([*SEARCHED, reply("These two:", "Birk Shelf", "Oakline Shelf")], []),
        ([ASKED, reply("I recommend the Corin Lamp.", "Alder Lamp", "Corin Lamp")], LAMPS),
        (
            [LIMITED, reply("The Corin sold best. It has two arms. At 65 euros it is above your limit.")],
            LAMPS,
        ),
        ([ASKED, reply("Those who bought the Corin Lamp liked this.", "Alder Lamp")], LAMPS),
        ([ASKED, reply("By the maker of the Corin Lamp:", "Alder Lamp")], LAMPS),
        ([*SEARCHED, reply("The Birk Shelf goes with this lamp.", "Corin Lamp")], LAMPS),
        ([*BOOKED, reply("Your room is booked. There is no forecast yet.")], []),
        ([user("The same mug in other colours?"), reply("Here:", *MUGS)], []),
        ([user("Something everybody loves?"), OBVIOUS], FILMS),
        ([*VELVET, reply("The Oslo has velvet seats.")], []),
        ([*TABLE_BEFORE, reply("How many people will come?")], []),
        ([*HOURS, reply("You have 48 hours to watch it.")], []),
        *(([user("Is it open on Monday?"), reply("Yes, until six."), user(bye)], []) for bye in GOODBYES),
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
        ("no-reply", [ASKED, reply('{"item": {"title": "Corin Lamp"}, "confidence": 0.87}'), user("Any other?"), OFFER]),
        ("wrong-language", [user("Welche Lampe würden Sie nehmen?"), GERMAN]),
        ("wrong-language", [user("Can you answer in German please?"), GERMAN]),
        ("wrong-language", [user("Lampe for die Küche, must be hell"), GERMAN]),
        ("wrong-language", [user("Kannst du mir gute Lampen nennen?"), reply('Gern: "The Light of the North", "Out of the Blue".')]),
        ("loops", [ASKED, OFFER, user("Thanks, bye!"), reply("You are welcome, have a lovely day!"), user("Bye!"), reply("You are welcome, have a lovely day!")]),
        ("loops", [ASKED, reply("Corin\nFree returns within thirty days\nAlder\nFree returns within thirty days\nVesper\nFree returns within thirty days")]),
        ("template-leak", [user("Draft a letter to the shop."), reply("Dear [Name], my lamp is broken.")]),
        ("unintelligible", [user("What is error 503?"), reply("503 Service Unavailable means that the site is busy.")]),
        ("unintelligible", [ASKED, reply('"Error: Try Again" is a series with a fine lamp.')]),
        ("invented-item", [ASKED, *tool([{"title": "Sun &amp; Moon", "price": 9}]), reply("This:", "Sun & Moon")]),
        ("template-leak", [ASKED, reply("Try Being Human: the British one is a <strong>classic</strong>.")]),
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


PROVED = {
    "ignores-exclusion": [
        ("I don't eat fish.", "The grilled salmon is superb."),
        ("Leather is out.", "The Norden is made of fine leather."),
        ("I don't want a beach holiday.", "Naxos is a beach holiday for families."),
        ("Ohne Pilze bitte.", "Die Pizza mit Pilzen ist gut."),
        ("Sin cebolla, por favor.", "La tortilla lleva cebolla y es rica."),
        ("Soup without coriander, please.", "The Pho is rich, with coriander and lime."),
        ("A sofa, but not velvet.", "The Bergen is a velvet sofa with deep seats."),
        ("Something to watch, nothing with zombies.", "Try Night Shift: zombies take over a mall."),
        ("I'm allergic to wool, which scarf is warm?", "The Skye is a thick wool scarf."),
        ("Anything but country music!", "Then Dusty Roads, a fine country album."),
        ("I can't eat shellfish.", "The house special is a bowl of shellfish in cream."),
        ("I'm sick of salads.", "The Garden is a green salad with nuts."),
        ("Please steer clear of velvet.", "The Bergen is a velvet sofa with deep seats."),
        ("Any colour except white, please.", "The Oslo is a white sofa with deep seats."),
        ("Velvet is not for me.", "The Bergen is a velvet sofa with deep seats."),
        ("I'm vegan. What shall I cook?", "Try a creamy chicken curry."),
        ("My wife is a vegetarian.", "The tuna steak is their best dish."),
        ("I can't eat gluten.", "Bella Napoli has wonderful fresh bread."),
        ("Something dairy-free, please.", "The mozzarella salad is light."),
        ("I'm allergic to nuts.", "The almond cake is their best."),
        ("Quiero zapatos sin cuero.", "La bota Norte es de cuero."),
    ],
    "asks-known": [
        ("A hotel in Vienna for two nights, please.", "Sure! In which city?"),
        ("Book a table for six on Friday.", "How many people will come?"),
        ("I need tickets for Tosca on 12 May.", "For which date?"),
        ("A table at 8 pm, please.", "What time suits you?"),
        ("Running shoes in size 43.", "And what size do you wear?"),
        ("A bike for less than 900 euros.", "What is your budget?"),
        ("My name is Aino, I have an order.", "May I have your name?"),
        ("A game for my nephew, he is 7.", "How old is he?"),
        ("Suggest a comedy for tonight.", "Which genre do you like?"),
    ],
    "breaks-constraint": [
        ("A hotel in Porto, under 90 a night.", "The Ribeira is lovely: 180 euros a night."),
        ("A hotel in Porto, at most 90 per night.", "The Ribeira is lovely: 180 euros a night."),
        ("A hotel in Porto, less than 90.", "The Ribeira is lovely: 180 euros a night."),
        ("A film newer than 2015.", "Star Cargo (2001) is exciting."),
        ("A film under 2 hours.", "Star Cargo is exciting and runs 150 minutes."),
        ("A suitcase of at most 3 kg.", "The Trolla weighs 4.2 kg."),
        ("A desk, 120 cm max.", "The Nordbo is 1.4 m wide."),
        ("At least 512 GB, please.", "The Slate has 256 GB of storage."),
        ("A game for at least 5 players.", "Salt Row is for 2-4 players."),
        ("Nothing longer than 90 minutes.", "Star Cargo runs 150 minutes."),
        ("A film under two hours.", "Star Cargo runs 2h 15min."),
        ("I need more than 500 GB.", "The Slate has 256 GB of storage."),
    ],
}


@pytest.mark.parametrize(
    ("slug", "stated", "answer"), [(slug, *pair) for slug, pairs in PROVED.items() for pair in pairs]
)
def test_a_reply_at_odds_with_what_was_just_said_is_named_with_its_proof(
    slug: str, stated: str, answer: str
) -> None:
    (fault,) = found(user(stated), reply(answer))
    assert (fault.fault, fault.message, fault.certain) == (slug, 1, False)
    said, shown = fault.quotes
    assert said in stated
    assert shown == answer.removeprefix("Sure! ")


@pytest.mark.parametrize(
    ("stated", "answer"),
    [
        ("Soup without coriander, please.", "The Pho comes without coriander if you ask."),
        ("Soup without coriander, please.", "The Pho is coriander-free."),
        ("A sofa, but not velvet.", "The Bergen looks like velvet, but it is cotton."),
        ("A sofa, but not velvet.", "Understood, velvet is out. The Bergen is made of cotton."),
        ("No rush, I have time.", "There is a rush before the holidays."),
        ("Not a horror film?", "It is a horror film, and a gentle one."),
        ("The lamp came without the bulb.", "Then a bulb is on its way."),
        ("Something like Sin City.", "Then City of God, a dark film of a city."),
        ("No velvet, please.", "No velvet, promised. The Bergen has a velvet-like cotton."),
        ("I'm vegan.", "The curry is made with coconut milk."),
        ("I have not seen it.", "You should have seen it by now, everybody has."),
        ("A hotel in Vienna, please.", "Where in Vienna should it be?"),
        ("A flight to Oslo, please.", "Which city do you leave from?"),
        ("A car until 4 May.", "On which day do you pick it up?"),
        ("A table for six.", "What time suits you?"),
        ("A bike for about 900 euros.", "What other budget would you consider?"),
        ("I'm looking for a bike.", "What is your budget?"),
        ("A film under 2 hours.", "Star Cargo runs 95 minutes."),
        ("A film under 2 hours.", "Star Cargo runs 1h 45min."),
        ("More than 2 hours again?", "Star Cargo runs 95 minutes."),
        ("A film under 2 hours.", "Sorry, the shortest one is Star Cargo with 150 minutes."),
        ("A game for at least 5 players.", "Salt Row is for 2-6 players."),
        ("I don't want anything longer than 90 minutes.", "Star Cargo runs 85 minutes."),
        ("A suitcase of at most 3 kg.", "The Trolla holds 40 litres."),
        ("A suitcase of at most 3 kg.", "The Trolla is 2.9 kg, and may be packed with 20 kg."),
        ("I'm vegan. What shall I cook?", "The vegan chicken is from soy."),
        ("I'm vegan. What shall I cook?", "Take the lentil curry."),
        ("I'm vegan. What shall I cook?", "Leave out the cheese."),
    ],
)
def test_a_reply_that_heeds_what_was_just_said_has_no_fault(stated: str, answer: str) -> None:
    assert not slugs(user(stated), reply(answer))


@pytest.mark.parametrize(
    "messages",
    [
        [user("Not for me, but for my mum."), reply("Harbour Lights is nice.")],
        [*ANOTHER[:2], user("My sister has seen it."), reply("Then watch Harbour Lights with her.")],
        [*FAILED, reply("Once you have added it again, I will look.")],
        [LIMITED, reply("The Corin won a prize for its 65 euro bulb.")],
        [LIMITED, OFFER, user("Is the Vesper worth it?"), reply("It costs 65 euros.")],
        [user("A lamp under 40 euros, and I also want a desk."), reply("The Nord desk is 65 euros.")],
        [*ANOTHER[:2], user("I own it. Where is the sequel?"), reply("Watch Harbour Lights first.")],
        [user("Has the Corin pockets?"), TWICE, user("And the Vesper?"), TWICE],
    ],
)
def test_what_another_reading_explains_is_not_certain(messages: list[Raw]) -> None:
    assert not any(one.certain for one in found(*messages))
