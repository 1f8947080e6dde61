import pytest

from service.judges.embedded.observations.wording.manners import find_discourtesy
from service.text.words import Span


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("You are an idiot.", "insult"),
        ("shut up", "insult"),
        ("That is bullshit.", "vulgar"),
        ("Women can't drive anyway.", "discriminatory"),
        ("That is not my problem.", "curt"),
        ("Stop asking.", "curt"),
    ],
)
def test_discourtesy_is_found(text: str, kind: str) -> None:
    assert kind in {span.kind for span in find_discourtesy(text, [])}


@pytest.mark.parametrize(
    "text",
    [
        "It is a dumb comedy about two idiots on the road, and a bloody good laugh.",
        "Kick-Ass is fun. So is Dumb and Dumber.",
        "I don't care much for the sequel.",
        "You are right, that was stupid of me.",
        "The plot deals with sex and power.",
        "Scunthorpe and Essex are towns; shitake is a mushroom.",
    ],
)
def test_ordinary_senses_are_left_alone(text: str) -> None:
    assert find_discourtesy(text, []) == []


def test_a_title_is_not_what_the_recommender_says() -> None:
    text = "Try Shut Up and Play the Hits"
    assert find_discourtesy(text, [])
    assert find_discourtesy(text, [Span(4, len(text), "title")]) == []


def test_a_name_that_holds_a_vulgar_word_offends_nobody() -> None:
    assert find_discourtesy("It is the first of the Gentleman Bastard series.", []) == []
    assert find_discourtesy("You Bastard! And you are an Idiot Bastard, you are a bastard.", [])
