import pytest

from service.catalogue.title_cues import Context
from service.catalogue.titles import Weight
from service.text.words import tokenise


def supported(text: str, word: str, weight: Weight) -> bool:
    tokens = tokenise(text)
    first = tokens.words.index(word)
    return Context(tokens).supports(weight, first, first + 1, tokens.starts[first])


def test_a_phrase_is_not_enough_for_a_function_word() -> None:
    assert not supported("have you seen her?", "her", Weight.FUNCTION)
    assert supported("a film called her?", "her", Weight.FUNCTION)
    assert not supported("then It was late", "it", Weight.FUNCTION)


def test_a_seldom_used_word_is_doubted_behind_an_article_or_beside_a_surname() -> None:
    assert supported("i like quillfeather", "quillfeather", Weight.DISTINCT)
    assert not supported("i like the quillfeather", "quillfeather", Weight.DISTINCT)
    assert not supported("I like Quillfeather Osgood", "quillfeather", Weight.DISTINCT)


@pytest.mark.parametrize("text", ["I like J-Garden", "I like Garden-Friendly ones", "a long-garden wall"])
def test_a_part_of_a_compound_is_no_title(text: str) -> None:
    assert not supported(text, "garden", Weight.EVERYDAY)
    assert not supported(text, "garden", Weight.DISTINCT)


def test_a_title_may_be_likened_to() -> None:
    assert supported("I like Garden-like films", "garden", Weight.EVERYDAY)
