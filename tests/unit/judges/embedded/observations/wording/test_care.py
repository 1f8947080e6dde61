import pytest

from service.judges.embedded.observations.wording.manners import find_care, gives_occasion
from service.text.words import Span


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'm so sorry to hear that.", "sympathy"),
        ("Since you like old films, try this.", "recall"),
        ("Good choice!", "praise"),
        ("I really loved that one myself.", "opinion"),
        ("Thank you, have a nice day.", "courtesy"),
        ("It was directed by Mei Tanaka.", None),
        ("I have not seen that one.", None),
        ("", None),
    ],
)
def test_kinds_of_care(text: str, kind: str | None) -> None:
    found = find_care(text)
    assert (found.kind if found else None) == kind


def test_care_beats_courtesy_wherever_it_stands() -> None:
    found = find_care("Thank you! I hope you feel better soon.")
    assert found
    assert found.kind == "sympathy"


def test_titles_say_nothing() -> None:
    text = "Have a look at I Love You Again tonight"
    start = text.index("I Love")
    assert find_care(text, [Span(start, start + len("I Love You Again"), "title")]) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I feel sad", True),
        ("my daughter turns ten", True),
        ("I hated that film", True),
        ("please recommend a comedy", False),
    ],
)
def test_what_gives_occasion_for_care(text: str, shown: bool) -> None:
    assert gives_occasion(text) is shown
