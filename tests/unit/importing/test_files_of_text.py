"""Tables and transcripts, whatever wrote them."""

import pytest

from service.importing.imported import OptionError, Wanted
from tests.unit.importing.importing import SAID, read, said_in

ROWS = [("conversation", "role", "content"), *(("c1", role, text) for role, text in SAID)]


def table(delimiter: str, end: str = "\n") -> str:
    return "".join(delimiter.join(f'"{cell}"' if "," in cell else cell for cell in row) + end for row in ROWS)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_any_usual_delimiter(delimiter: str, end: str) -> None:
    assert said_in(read(table(delimiter, end)).one) == SAID


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("cp1252", "cp1252"),
    ],
)
def test_any_usual_encoding(encoding: str, told: str) -> None:
    found = read(table(",").replace("quiet", "déjà vu").encode(encoding))
    assert said_in(found.one)[0] == ("user", "A déjà vu film, please")
    assert found.told == ["data: read as csv" + (f"; encoding {told}." if told else ".")]


def test_an_encoding_may_be_named() -> None:
    content = table(",").replace("quiet", "静か").encode("shift_jis")
    assert said_in(read(content, wanted=Wanted(encoding="shift_jis")).one)[0][1] == "A 静か film, please"
    with pytest.raises(OptionError, match="unknown encoding"):
        read(content, wanted=Wanted(encoding="klingon"))


def test_a_row_that_is_too_short_loses_its_conversation_alone() -> None:
    found = read(table(",") + "c2,user\nc3,user,Hi\n")
    assert [one.log["id"] for one in found.made] == ["c1", "c3"]
    assert str(found.faults[0]).endswith("data:6: 2 values, where the header has 3; 'c2' is left out")


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"PAR1xx", "Parquet"), (b"PK\x03\x04xx", "a zip file or a spreadsheet"), (b"%PDF-1", "a PDF")],
)
def test_what_is_no_text_is_named(content: bytes, told: str) -> None:
    found = read(content)
    assert not found.made
    assert told in str(found.faults[0])


TRANSCRIPTS = {
    "plain": "User: {0}\nBot: {1}\nUser: {2}\nBot: {3}\n",
    "capitals": "CUSTOMER: {0}\n\nAGENT: {1}\n\nCUSTOMER: {2}\n\nAGENT: {3}",
    "bold": "**User:** {0}\n**Assistant:** {1}\n**User:** {2}\n**Assistant:** {3}",
    "times": "[10:01:22] User: {0}\n[10:01:25] Bot: {1}\n[10:02] User: {2}\n[10:03 AM] Bot: {3}",
    "dates": "2026-03-01 10:00 User: {0}\n2026-03-01T10:01:00Z Bot: {1}\n3/1/26, 10:02 - User: {2}\n(10:03) Bot: {3}",
    "list": "- Human: {0}\n- AI: {1}\n- Human: {2}\n- AI: {3}",
    "dos": "User: {0}\r\nBot: {1}\r\nUser: {2}\r\nBot: {3}\r\n",
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts(name: str) -> None:
    found = read(TRANSCRIPTS[name].format(*(text for _, text in SAID)))
    assert found.told == ["data: read as transcript."]
    assert said_in(found.one) == SAID


def test_a_message_may_have_lines() -> None:
    one = read("A chat of ours\n\nUser: Hi\nthere\n\n- one: 1\nBot: Hello\n").one
    assert said_in(one) == [("user", "Hi\nthere\n\n- one: 1"), ("assistant", "Hello")]


def test_a_text_may_hold_many() -> None:
    found = read(
        "Conversation 7:\nUser: Hi\nBot: Hello\n---\nUser: Bye\n\n# Session 9\nUser: Who?\nBot: Me.\n",
    )
    assert [one.log.get("id") for one in found.made] == ["7", None, "9"]
    assert [len(one.log["messages"]) for one in found.made] == [2, 1, 2]
