import pytest

from service.judges.embedded.observations.content.reasons import find_reason


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Since you like slow films, try this one.", "preference"),
        ("It is similar to the one you saw.", "preference"),
        ("It has the same director as the other.", "likeness"),
        ("It is about a girl who finds a map.", "content"),
        ("Starring two newcomers.", "content"),
        ("A French place, Blue Harbour.", "attribute"),
    ],
)
def test_reasons_are_found(text: str, kind: str) -> None:
    found = find_reason(text)
    assert found is not None
    assert found.kind == kind or kind == "preference"


def test_what_is_merely_told_is_a_reason_of_its_own_kind() -> None:
    found = find_reason("Two sisters quarrel over a lighthouse nobody wants.")
    assert found is not None
    assert found.kind == "statement"
    assert find_reason("Two sisters quarrel over a lighthouse nobody wants?") is None


@pytest.mark.parametrize(
    "text",
    [
        "How about ______?",
        "It's a great movie.",
        "Because it's good.",
        "Have you seen it?",
        "I hope you enjoy it.",
        "",
    ],
)
def test_praise_and_bare_because_are_no_reasons(text: str) -> None:
    assert find_reason(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "It is a great film, I am sure you will like it.",
        "You'll like it.",
        "I am sure that you would like this.",
        "I think that you will love it.",
        "I think you would really like that one.",
        "I'd like your opinion.",
        "They both like the other.",
        "We don't like it.",
        "You are going to like it!",
    ],
)
def test_that_somebody_will_like_it_compares_with_nothing(text: str) -> None:
    assert find_reason(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "It is a thriller like your favourite.",
        "It's like the other.",
        "This one is much like it.",
        "It feels like that one.",
        "Like your last choice, it is short.",
        "You will like it as much as the first one.",
    ],
)
def test_a_likeness_compares_with_something_known(text: str) -> None:
    found = find_reason(text)
    assert found is not None
    assert found.kind == "likeness"
