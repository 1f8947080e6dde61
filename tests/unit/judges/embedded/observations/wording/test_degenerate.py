import pytest

from service.judges.embedded.observations.wording.language import circling, find_degenerate
from service.text.words import Span


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("you should watch <movie> tonight", "placeholder"),
        ("I like @12345 a lot", "placeholder"),
        ("written amp directed by her", "placeholder"),
        ("Hello {user_name}, welcome", "placeholder"),
        ("bad \ufffd bytes", "placeholder"),
        ("Fine. User: what else? System: nothing", "leakage"),
        ('{"role": "assistant"}', "leakage"),
        ("sooooooo good", "noise"),
        ("he also also also starred", "stutter"),
        ("is a horror film.", "gap"),
        ("I recommend  .", "gap"),
    ],
)
def test_broken_text_is_found(text: str, kind: str) -> None:
    assert kind in {span.kind for span in find_degenerate(text, [])}


@pytest.mark.parametrize(
    "text",
    [
        "If you like slow films, this one is a treat: quiet, wise and very funny.",
        "Is it too late? Was the food good?",
        "It costs < 20 and serves > 4 people; ask for user: reviews online",
        "1. Copper Canyon\n2. Blue Harbour\n3. The Long Way",
        "AT&T Stadium & R&B nights",
    ],
)
def test_sound_text_is_left_alone(text: str) -> None:
    assert find_degenerate(text, []) == []


def test_a_title_may_stutter() -> None:
    text = "Try New York New York New York"
    assert find_degenerate(text, [Span(4, len(text), "title")]) == []


def test_circling_sentences() -> None:
    assert circling("it is about a girl who is a girl and a girl who is a girl and a girl who is") == "loop"
    assert circling("A retired clockmaker teaches the girl next door how to listen to time itself.") is None
