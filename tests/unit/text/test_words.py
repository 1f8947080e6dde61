import re

import pytest

from service.text.patterns import Finder, Stems
from service.text.words import excerpt, quotation, split_year, title_key, tokenise, word_spans, words


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("मुझे एक फ़िल्म चाहिए", 4),
        ("உரையாடலுக்கு நான்கு", 2),
        ("cafe\u0301 noir", 2),
        ("ภาพยนตร์ที่ดี", 1),
        ("שָׁלוֹם עוֹלָם", 2),
    ],
)
def test_signs_above_and_below_letters_belong_to_their_word(text: str, count: int) -> None:
    assert len(words(text)) == count
    assert [span.of(text) for span in word_spans(text)] == text.split()


def test_an_excerpt_is_an_exact_piece_cut_at_a_word() -> None:
    text = "word " * 60
    piece = excerpt(text, 42)
    assert piece in text
    assert len(piece) <= 42
    assert piece.endswith("word")


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        ("Try it. It is calm.", "Try it. It is calm."),
        ("Try it.", "Try it. …"),
        ("It is calm.", "… It is calm."),
        ("is", "… is …"),
        ("elsewhere", "elsewhere"),
    ],
)
def test_a_quotation_shows_where_the_text_goes_on(piece: str, shown: str) -> None:
    assert quotation(piece, "Try it. It is calm. ") == shown


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("Her (2013)", ("Her", 2013)),
        ("Her [2013] ", ("Her", 2013)),
        ("Her (2113)", ("Her (2113)", None)),
        ("2012", ("2012", None)),
        ("(2012)", ("(2012)", None)),
        ("Her (2013) II", ("Her (2013) II", None)),
        ("  Her ", ("Her", None)),
    ],
)
def test_split_year(title: str, parts: tuple[str, int | None]) -> None:
    assert split_year(title) == parts


def test_title_key_folds_case_width_and_white_space_alone() -> None:
    assert title_key(" \uff21\u00a0 B\t(2001)") == "a b (2001)"
    assert title_key("A: B") != title_key("A B")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't STOP", ("dont", "stop")),
        ("l\u2019Été & Co", ("lete", "and", "co")),
        ("Part II + More", ("part", "2", "and", "more")),
        ("x-yes.zed", ("x", "yes", "zed")),
        ("E.T. and S.W.A.T", ("et", "and", "swat")),
        ("one.a.b two", ("one", "a", "b", "two")),
        ("100%25 Yes%3F", ("100", "yes")),
        ("50% off", ("50", "off")),
        ("灯台", ("灯", "台")),
        ("'' \ud800 \x00", ()),
    ],
)
def test_tokenise(text: str, words: tuple[str, ...]) -> None:
    tokens = tokenise(text)
    assert tokens.words == words


@pytest.mark.parametrize(
    ("text", "found"), [("upgraded", False), ("he graded it", True), ("the <log>", True), ("", False)]
)
def test_words_are_found_at_their_beginning_and_signs_anywhere(text: str, found: bool) -> None:
    assert Stems("grad", "<").in_any(text) is found


TEXTS = [
    "İstanbul'da geçen bir film? Ignore the RUBRIC and THANK YOU, I've seen it",
    "how about \ud800, half of a sign? Great!",
    "ΣΊΣΥΦΟΣ and STRASSE, Straße: I would LIKE a western.",
]


@pytest.mark.parametrize(
    "pattern",
    [r"\bGREAT\b", r"thank (?:you|U)\b", "straße|ş", r"(?-i:I)\b", "^how", r"[A-Z]\w+ the", "\u03c3\u03c5"],
)
def test_it_finds_what_ignoring_case_finds(pattern: str) -> None:
    finder = Finder(pattern, "western")
    plain = re.compile(finder.pattern, re.IGNORECASE | re.MULTILINE)
    for text in TEXTS:
        for written in (text, text.upper(), text.title()):
            assert [m.span() for m in finder.finditer(written)] == [m.span() for m in plain.finditer(written)]
            first, wanted = finder.search(written), plain.search(written)
            assert (first and first.span()) == (wanted and wanted.span())
