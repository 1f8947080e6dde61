"""Spelling of replies for the classifier."""

import pytest

from service.alignment.utterance import normalise


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("  Have you SEEN\nit? ", "have you seen it?"),
        ("It\u2019s \u201cgood\u201d\u2026", 'it\'s "good"...'),
        ("I donâ€™t know", "i don't know"),
        ("Amélie", "amélie"),
        ("AmÃ©lie", "amélie"),
        ("Max\ufffd\ufffds brother", "max's brother"),
        ("a couples\ufffd trip", "a couples trip"),
        ("the QUOTATION_MARKfutureQUOTATION_MARK", 'the "future"'),
        ("Glass Harvest (2018) is fine", "glass harvest is fine"),
        ("Have you seen @12345?", "have you seen that movie?"),
        ("", ""),
        ("\ufffd", ""),
    ],
)
def test_spelling(text: str, spelled: str) -> None:
    assert normalise(text) == spelled
