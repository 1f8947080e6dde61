import pytest

from service.text.language import find_errors


@pytest.mark.parametrize(
    "text",
    [
        "Will you be leaving on March 2nd?",
        "Ok, can they be older or do you prefer more recent ones?",
        "It does a good job without making it seem hopeless.",
        "A book that might be helpful for you is this one.",
        "Let me see what we have. We have some statues made in America.",
        "Ding, ding, ding, you have a winner.",
        "What I can do is ring on Wednesday.",
        "May is packed already, but Baden-Baden is free in June.",
        "You can cut it like a cake.",
        "The pads in it are new, and the 09:48 is direct.",
        "Half a dozen people asked for an LED lamp.",
        "Does it cost more? The two I showed you cost the same.",
        "Small Things Like These has few pages, and The The is a band.",
        "She made two book trailers.",
        "It runs from a to z, vitamin a and c included, and was played by The Who.",
    ],
)
def test_what_is_right_is_no_error(text: str) -> None:
    assert not find_errors(text, ())


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("You is welcome.", "You is"),
        ("Sure, they be here soon.", "they be"),
        ("I think it are seven.", "it are"),
        ("I has not seen that one.", "I has"),
        ("We have we have statues.", "We have we have"),
        ("It is very the the nice.", "the the"),
        ("Guide the of town is yes.", "the of"),
        ("A film that is direct by her.", "is direct by"),
        ("Good to know, it have two pockets.", "it have"),
        ("It cost 38 euros and is light.", "It cost"),
        ("You needs a pair of them.", "You needs"),
        ("You will liking the garden.", "You will liking"),
        ("This one is more cheaper.", "more cheaper"),
        ("Here are all informations.", "informations"),
    ],
)
def test_what_is_wrong_is_found(text: str, wrong: str) -> None:
    assert [span.of(text) for span in find_errors(text, ())] == [wrong]
