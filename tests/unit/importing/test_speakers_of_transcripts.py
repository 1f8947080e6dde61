"""Speakers of plain transcripts: nobody's words become another's."""

import pytest

from service.importing.imported import OptionError, Wanted
from tests.unit.importing.importing import read, said_in

TALK = "{0}: A lamp for my desk?\n{1}: How bright should it be?\n{0}: Bright, but no blue light\n{1}: Then the Orla.\n"
SAID = [
    ("user", "A lamp for my desk?"),
    ("assistant", "How bright should it be?"),
    ("user", "Bright, but no blue light"),
    ("assistant", "Then the Orla."),
]


@pytest.mark.parametrize(
    ("user", "assistant"),
    [
        ("Nutzerin", "Beraterin"), ("Cliente", "Vendedor"), ("Patron", "Librarian"), ("客户", "客服"), ("GUEST_7", "SYSTEM"),
        ("Ines", "LampBot"), ("Mr. Okoye", "Sales Assistant"), ("mary ann", "bot"), ("Ines (customer)", "Tom (support)"),
        ("Ines", "Customer Service"), ("User 3", "Help Desk"), ("Ines (10:02)", "Agent (10:03)"), ("**Ines**", "**AI**"),
    ],
)  # fmt: skip
def test_names_of_roles_are_known_and_one_name_that_is_open_is_the_other(user: str, assistant: str) -> None:
    assert said_in(read(TALK.format(user, assistant)).one) == SAID


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_names_in_lines_of_their_own_are_found(end: str) -> None:
    found = read(TALK.format("Ines", "Bot").replace(": ", ":\n").replace("\n", end))
    assert [role for role, _ in said_in(found.one)] == [role for role, _ in SAID]


@pytest.mark.parametrize(
    "text",
    [
        TALK.format("Ines", "Tom"),
        TALK.format("P1", "P2"),
        TALK.format("User 1", "User 2"),
        TALK.format("Agent A1", "Agent A2"),
        TALK.format("User", "Bot") + "Ines: That one is too dear\nBot: Then Mira.\nInes: Fine, thank you",
        "User: A person, please\nInes: Hello, I am Ines\nUser: A lamp?\nInes: Which one?\nBot: Rate this chat.",
        "Ines: Hi\nBot: Hello\n",
    ],
)
def test_a_name_that_may_be_anybodys_is_asked_for(text: str) -> None:
    with pytest.raises(OptionError) as refused:
        read(text)
    assert refused.value.option == "roles"


def test_what_is_asked_for_can_be_given() -> None:
    content = TALK.format("Ines", "Tom").replace("Orla.", "Orla.\nNote: it is out of stock\nNote: until May")
    wanted = Wanted(roles={"ines": "user", "tom": "assistant", "note": "text"})
    *first, last = said_in(read(content, wanted=wanted).one)
    assert first == SAID[:-1]
    assert last == ("assistant", "Then the Orla.\nNote: it is out of stock\nNote: until May")


def test_fields_of_items_belong_to_their_message() -> None:
    fields = "Name: Orla\nPrice: 49 EUR\n\nName: Mira\nPrice: 59 EUR"
    content = TALK.format("User", "Bot").replace("How bright", f"Two:\n{fields}\nHow bright")
    assert said_in(read(content).one)[1] == (
        "assistant",
        f"Two:\n{fields}\nHow bright should it be?",
    )


@pytest.mark.parametrize(
    "headings",
    [
        ("0", "1"),
        ("#1", "#2"),
        ("Conversation_1:", "Conversation_2:"),
        ("Session: a1", "Session: b2"),
        ("Chat no. 4", "Chat no. 5"),
        ("# Lamps Conversation", "# Chairs Conversation"),
    ],
)
def test_headings_of_every_kind_part_conversations(headings: tuple[str, str]) -> None:
    talk = TALK.format("User", "Agent")
    found = read("\n\n".join(f"{heading}\n\n{talk}" for heading in headings))
    assert [said_in(one) for one in found.made] == [SAID, SAID]


@pytest.mark.parametrize(
    "stamp", ["12/03/2026, 10:1{n} - ", "[12/03/26, 10:15:0{n}] ", "\u200e[3/12/26, 10:15:0{n}\u202fAM] ", "12.03.26, 10:1{n} - "]
)  # fmt: skip
def test_a_messengers_notices_are_counted_and_said_by_nobody(stamp: str) -> None:
    said = [
        "Messages and calls are end-to-end encrypted.",
        "Anna Weber: A tent, please",
        "Alpin Shop: For two?",
        "Alpin Shop changed the group",
        "Anna Weber: Yes\nand light",
    ]
    text = "\n".join(stamp.replace("{n}", str(n)) + line for n, line in enumerate(said))
    roles = {"anna weber": "user", "alpin shop": "assistant"}
    one = read(text, wanted=Wanted(roles=roles)).one
    assert said_in(one) == [("user", "A tent, please"), ("assistant", "For two?"), ("user", "Yes\nand light")]
    assert one.left == {"lines with a time and no speaker": 2}
    assert all("created_at" in message for message in one.log["messages"])
