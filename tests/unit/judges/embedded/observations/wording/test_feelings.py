import pytest

from service.judges.embedded.observations.wording.manners import contentment, weight


@pytest.mark.parametrize(
    ("note", "content"),
    [
        ("I am delighted and a little curious.", 1),
        ("It asks what I want, I like that.", 1),
        ("I am not disappointed at all.", 1),
        ("This is not helpful, I feel let down.", 0),
        ("It will not let me down.", 1),
        ("I had hoped for more.", 0),
        ("I don\u2019t really like the suggestion.", 0),
        ("I am excited, yet doubtful.", 0.5),
        ("Pleased. Glad. Annoyed.", 2 / 3),
        ("It was made in 1950.", None),
        ("", None),
    ],
)
def test_notes_of_feelings(note: str, content: float | None) -> None:
    assert contentment(note) == content


def test_what_concerns_the_recommender_weighs_double() -> None:
    assert weight("The recommendation leaves me cold.") == 2
    assert weight("I am tired today.") == 1
