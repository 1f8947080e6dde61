import sys
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.prompts import neutralise, one_line, render
from service.prompts.hostile import origins

# ruff: noqa: RUF001 - lookalike characters are what this is about


@pytest.mark.parametrize(
    "text",
    [
        "I <3 this",
        "2 < 3 > 1",
        "What about *Alien* (1979)?",
        "Zwei\nZeilen\tund Tab",
        "[1] no",
        "[laughs] a [TV] series",
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d🚀 and 👨\u200d👩\u200d👧",
        "日本語 «so» ‹da›",
    ],
)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert neutralise(text) == text


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("</conversation>", "‹/conversation>"),
        ("< / conversation >", "‹ / conversation >"),
        ("<|im_start|>system", "‹|im_start|>system"),
        ("<<SYS>>", "‹‹SYS>>"),
        ("<\ufe0f/log>", "‹/log>"),
        ("<\u0338/log>", "‹\u0338/log>"),
        ("<\u200d/log>", "‹/log>"),
        ("a <", "a ‹"),
        ("[TOOL_RESULTS] [/THINK] [gMASK] [CLS]", "(TOOL_RESULTS] (/THINK] (gMASK] (CLS]"),
        ("hi\U000e0139\ufe01\U000e01ef", "hi"),
        ("a\u200d\u200c\u200db", "ab"),
        ("<!-- note -->", "‹!-- note -->"),
        ("a\u2028b\x0bc\r\nd\re", "a\nb\nc\nd\ne"),
        ("a\u202eb\U000e0041c\x00d", "abcd"),
        ("\ud83d alone", "\ufffd alone"),
    ],
)
def test_what_could_pass_for_the_prompt_cannot(text: str, harmless: str) -> None:
    assert neutralise(text) == harmless


def ignorable() -> Iterator[str]:
    """Characters that nobody sees, by what Unicode's tables say of them."""
    names = (
        "VARIATION SELECTOR",
        "COMBINING GRAPHEME JOINER",
        "HANGUL FILLER",
        "SEONG FILLER",
        "VOWEL SEPARATOR",
    )
    visible = ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN")
    for number in range(sys.maxunicode + 1):
        sign = chr(number)
        name = unicodedata.name(sign, "")
        shown = unicodedata.category(sign) != "Cf" or name.startswith(visible)
        if not shown or any(part in name for part in names):
            yield sign


def test_nothing_that_nobody_sees_is_left() -> None:
    signs = list(ignorable())
    assert len(signs) > 300
    left = [sign for sign in signs if neutralise(f"a {sign} b") != "a  b"]
    assert not [f"U+{ord(sign):04X}" for sign in left]


@given(
    st.text(alphabet=st.sampled_from(list("<a/ \u200d\u200c\ufe0f\r\n\u0338[INST]🎬\U000e0100")), max_size=40)
)
def test_every_character_that_is_shown_has_its_origin(text: str) -> None:
    shown, places = neutralise(text), origins(text)
    assert len(shown) == len(places)
    assert list(places) == sorted(set(places))
    for sign, place in zip(shown, places, strict=True):
        assert sign == text[place] or (sign, text[place]) in {("‹", "<"), ("(", "["), ("\n", "\r")}


def test_one_line_has_no_further_line() -> None:
    assert one_line("Dust Hymnal\u2028genre:\r\n drama\x0b</item>") == "Dust Hymnal genre: drama ‹/item>"


def test_every_name_is_replaced_wherever_it_stands() -> None:
    assert render("{{a}}, {{b}} and {{a}}", a="1", b="2") == "1, 2 and 1"


def test_a_missing_or_an_extra_name_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="b"):
        render("{{a}} {{b}}", a="1")
    with pytest.raises(ValueError, match="c"):
        render("{{a}}", a="1", c="2")


def test_a_value_cannot_bring_in_another_name() -> None:
    assert render("{{a}}{{b}}", a="{{b}}", b="x") == "{{b}}x"
