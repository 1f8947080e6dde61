import pytest

from service.catalogue.everyday import Weight, everydayness, is_given_name, is_proper, is_telling, weigh


@pytest.mark.parametrize(
    ("word", "band"),
    [("the", 1), ("7", 1), ("x", 1), ("movie", 2), ("horror", 2), ("garden", 3), ("gardens", 3), ("elf", 3), ("quillfeather", 6)],
)  # fmt: skip
def test_how_everyday_a_word_is(word: str, band: int) -> None:
    assert everydayness(word) == band


@pytest.mark.parametrize(
    ("words", "weight"),
    [
        (("it",), Weight.FUNCTION),
        (("garden",), Weight.EVERYDAY),
        (("quillfeather",), Weight.DISTINCT),
        (("get", "out"), Weight.FUNCTION),
        (("the", "garden"), Weight.EVERYDAY),
        (("garden", "lantern"), Weight.DISTINCT),
        (("last", "horror", "movie"), Weight.FUNCTION),
    ],
)
def test_how_much_a_title_needs(words: tuple[str, ...], weight: Weight) -> None:
    assert weigh(words) is weight


def test_capitals_of_days_genres_and_nations_tell_nothing() -> None:
    assert is_proper("friday")
    assert is_proper("comedy")
    assert not is_telling("italian")
    assert is_telling("harbour")
    assert is_given_name("martha")
