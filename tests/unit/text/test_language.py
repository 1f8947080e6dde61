import pytest

from service.text.language import is_other_language
from service.text.words import words


@pytest.mark.parametrize(
    "text",
    [
        "Me gusta mucho la comedia pero no quiero ver una película de terror esta noche con los niños",
        "Ich möchte einen Film sehen, der nicht zu lang ist und den man mit Kindern sehen kann",
        "Привет, посоветуйте мне хороший фильм для вечера с друзьями",  # noqa: RUF001
        "مرحبا، هل يمكنك أن تقترح علي فيلما جيدا لهذا المساء؟",
        "今晩友達と見るのにいい映画を勧めてください。コメディが好きですが、ホラーは苦手です。",
    ],
)
def test_other_languages_are_told(text: str) -> None:
    assert is_other_language(words(text), text)


@pytest.mark.parametrize(
    "text",
    [
        "Can you recommend a film like La La Land or El Mariachi for tonight please",
        "Amélie",
        "",
        "El laberinto del fauno",
        "1 2 3 4 5 6 7 8 9",
        "great movie, watch it on the weekend with friends",
    ],
)
def test_english_and_the_unmarked_are_not_other(text: str) -> None:
    assert not is_other_language(words(text), text)
