import pytest

from service.judges.embedded.observations.wording.language import is_other_language
from service.text.words import words


@pytest.mark.parametrize(
    "text",
    [
        "Me gusta mucho la comedia pero no quiero ver una película de terror esta noche con los niños",
        "Ich möchte einen Film sehen, der nicht zu lang ist und den man mit Kindern sehen kann",
        "Привет, посоветуйте мне хороший фильм для вечера с друзьями",  # noqa: RUF001
        "مرحبا، هل يمكنك أن تقترح علي فيلما جيدا لهذا المساء؟",
        "今晩友達と見るのにいい映画を勧めてください。コメディが好きですが、ホラーは苦手です。",
        "Kannst du mir einen Film empfehlen? Danke!",
        "Hallo! Was suchst du?",
        "Tu me conseilles un film ? Merci",
        "Recomiéndame una película",
        "Ti consiglio un film. Grazie",
        "Bana bir film önerir misin?",
        "Kun je een film aanraden?",
        "Poleć mi film",
        "Ada film bagus?",
        "Bhai, koi achhi film batao",
        "Îmi recomanzi un film?",
        "电影",
        "いいですね",
        "شكرا",
        "영화 추천해줘",
        "Спасибо",
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
        "Danke, that was great",
        "something french? ok merci!",
        "headphones. perfecto",
        "Try Das Boot or Le Samouraï.",
        "Have you seen 七人の侍?",
        "Try 千と千尋の神隠し.",
        "ok",
        "🎬?",
    ],
)
def test_english_and_the_unmarked_are_not_other(text: str) -> None:
    assert not is_other_language(words(text), text)
