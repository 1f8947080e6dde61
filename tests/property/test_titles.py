"""Titles in texts: nothing breaks, places are right, and equality behaves."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from service.catalogue.catalogue import Catalogue
from service.catalogue.title_guesses import guess_titles
from service.catalogue.titles import same_title
from service.domain.conversation import Item
from service.text.words import tokenise

ANY = st.text(st.characters(), max_size=80)
PIECES = st.sampled_from(
    ["It", "it (1990)", "The ", "Lantern", " Keeper", " II", '"', "\n- ", "...", " and ", ", ", "(1999)", "é", "\ud800", "\x00", "灯", "'s", " A", "try "]
)  # fmt: skip
TEXTS = st.one_of(ANY, st.lists(PIECES, max_size=25).map("".join))
SHELF = Catalogue.of(
    [Item(title) for title in ("It (1990)", "It (2017)", "The Lantern Keeper", "Lantern II", "灯")]
)


@given(TEXTS)
def test_mentions_and_guesses_lie_in_the_text_in_order_and_apart(text: str) -> None:
    for marks in (
        [(mention.start, mention.end, mention.surface) for mention in SHELF.find(text)],
        [(guess.start, guess.end, guess.surface) for guess in guess_titles(text)],
    ):
        assert all(text[start:end] == surface != "" for start, end, surface in marks)
        assert all(a[1] <= b[0] for a, b in pairwise(marks))


@given(TEXTS)
def test_every_word_lies_where_it_says(text: str) -> None:
    tokens = tokenise(text)
    assert all(0 <= a < b <= len(text) for a, b in zip(tokens.starts, tokens.ends, strict=True))
    assert list(tokens.starts) == sorted(tokens.starts)


@given(ANY, ANY)
def test_same_title_is_symmetric_and_leniency_only_adds(a: str, b: str) -> None:
    for optional in (False, True):
        assert same_title(a, b, year_optional=optional) is same_title(b, a, year_optional=optional)
    assert same_title(a, b, year_optional=True) or not same_title(a, b, year_optional=False)
