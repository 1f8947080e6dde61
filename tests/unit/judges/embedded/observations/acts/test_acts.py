import pytest

from service.judges.embedded.observations.acts.acts import (
    ReplyAct,
    UserAct,
    is_brief,
    list_entries,
    reply_acts,
    user_acts,
)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Could you recommend a quiet Italian place?", UserAct.REQUEST),
        ("any other ideas", UserAct.REQUEST),
        ("What is it about?", UserAct.INQUIRE),
        ("Who directed it?", UserAct.INQUIRE),
        ("Tell me more about the second one", UserAct.INQUIRE),
        ("Why did you pick that?", UserAct.WHY),
        ("I really love old westerns", UserAct.PREFER),
        ("I don't like horror", UserAct.REJECT),
        ("no thanks", UserAct.REJECT),
        ("I've already seen it", UserAct.SEEN),
        ("I said NOT a musical", UserAct.COMPLAIN),
        ("That's not what I asked", UserAct.COMPLAIN),
        ("you already told me that", UserAct.COMPLAIN),
        ("Sounds great, I'll watch it", UserAct.ACCEPT),
        ("Good to know, we'll go early.", UserAct.ACCEPT),
        ("Perfect, we're going.", UserAct.ACCEPT),
        ("Okay, good.", UserAct.ACCEPT),
        ("that works for us", UserAct.ACCEPT),
        ("much obliged", UserAct.THANK),
        ("I'd like a calm app for beginners", UserAct.REQUEST),
        ("not quite what I had in mind", UserAct.REJECT),
        ("Thanks!", UserAct.THANK),
        ("hello", UserAct.GREET),
        ("bye", UserAct.CLOSE),
    ],
)
def test_a_user_message_does_what_its_words_do(text: str, act: UserAct) -> None:
    acts = user_acts(text)
    assert act in acts
    assert acts[act].of(text)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Have you seen any other ideas of mine?", UserAct.SEEN),
        ("I haven't seen it", UserAct.SEEN),
        ("Can you recommend a comedy?", UserAct.COMPLAIN),
        ("Science fiction is fine, as long as it is not horror", UserAct.COMPLAIN),
        ("I like sad songs", UserAct.REJECT),
        ("I want a horror film", UserAct.INQUIRE),
        ("tell me about it", UserAct.REQUEST),
        ("I'll look elsewhere", UserAct.ACCEPT),
        ("We'll try something else", UserAct.ACCEPT),
        ("I'm not going to watch it", UserAct.ACCEPT),
        ("oh well watch that then", UserAct.ACCEPT),
        ("that does not sound good", UserAct.ACCEPT),
        ("that's the one I saw", UserAct.ACCEPT),
        ("my parents, who can't walk far, like the sea", UserAct.REJECT),
    ],
)
def test_a_user_message_does_nothing_that_its_words_do_not(text: str, act: UserAct) -> None:
    assert act not in user_acts(text)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("What kind of music do you like?", ReplyAct.ELICIT),
        ("Do you have a budget in mind?", ReplyAct.ELICIT),
        ("How about Copper Canyon?", ReplyAct.RECOMMEND),
        ("Then maybe a calm one by the sea", ReplyAct.RECOMMEND),
        ("You might enjoy Copper Canyon", ReplyAct.RECOMMEND),
        ("1. Copper Canyon\n2. Blue Harbour", ReplyAct.RECOMMEND),
        ("It is about a girl who finds a map.", ReplyAct.INFORM),
        ("I haven't seen that one", ReplyAct.UNAWARE),
        ("Sorry, my mistake", ReplyAct.APOLOGISE),
        ("Have a great day!", ReplyAct.CLOSE),
        ("You're welcome", ReplyAct.WELCOME),
        ("Is there anything else I can do?", ReplyAct.OFFER),
    ],
)
def test_a_reply_does_what_its_words_do(text: str, act: ReplyAct) -> None:
    assert act in reply_acts(text)


def test_typographic_apostrophes_read_like_straight_ones() -> None:
    assert user_acts("I don\u2019t like it").keys() == user_acts("I don't like it").keys()


def test_entries_of_a_list_leave_their_markers_out() -> None:
    text = "Try these:\n1: Copper Canyon\n2: Blue Harbour (1999)\n"
    assert [entry.of(text) for entry in list_entries(text)] == ["Copper Canyon", "Blue Harbour (1999)"]


def test_a_single_number_opens_no_list() -> None:
    assert list_entries("1: Copper Canyon is what I would see") == ()


def test_a_dash_inside_a_numbered_entry_opens_no_entry() -> None:
    text = "1. Copper Canyon (1950) - a western\n2. Blue Harbour (1999) - divers"
    entries = [entry.of(text) for entry in list_entries(text)]
    assert entries == ["Copper Canyon (1950) - a western", "Blue Harbour (1999) - divers"]
    assert len(list_entries("Some ideas: - Copper Canyon - Blue Harbour")) == 2


def test_nor_does_one_inside_an_entry_that_a_dash_opens() -> None:
    text = "Sure:\n- Copper Canyon - a western\n- Blue Harbour - divers"
    assert [entry.of(text) for entry in list_entries(text)] == [
        "Copper Canyon - a western",
        "Blue Harbour - divers",
    ]


def test_brief_messages() -> None:
    assert is_brief("old crime films")
    assert not is_brief("I would like to see some old crime films")


def test_a_number_that_ends_a_sentence_opens_no_entry() -> None:
    assert list_entries("I give it a 4.\nYou gave it a 5.\nSo be it") == ()
    assert [entry.of("1.\nOne\n2.\nTwo") for entry in list_entries("1.\nOne\n2.\nTwo")] == ["One", "Two"]
