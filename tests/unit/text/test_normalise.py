import pytest

from service.text.normalise import split_year, title_key, tokenise


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


def test_places_are_those_of_the_text() -> None:
    tokens = tokenise("I like Ame\u0301lie\u2019s hat")
    assert [tokens.text[a:b] for a, b in zip(tokens.starts, tokens.ends, strict=True)][
        2
    ] == "Ame\u0301lie\u2019s"
    assert tokens.possessive(2)
    assert tokens.gap(1) == " "
