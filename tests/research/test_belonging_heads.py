"""The parts of a vector that all talk shares: a family that is left out adds nothing to them."""

import numpy as np

from research.encoder.conversations import Talk
from research.encoder.fitting import SHARED, Reading


def talks(family: str, *subjects: str) -> list[Talk]:
    return [
        Talk(((True, f"I want {subject}."), (False, f"Here is {subject}.")), family, family, measured=True)
        for subject in subjects
    ]


FILMS = talks("films", "a western", "a quiet film about the sea", "a comedy", "an old thriller")
TOOLS = talks("tools", "a cordless drill", "a hammer", "some long nails", "a saw for hard wood")


def test_a_family_that_is_left_out_changes_nothing_of_what_talk_shares() -> None:
    alone, both = Reading(FILMS).common(), Reading([*FILMS, *TOOLS])
    left_out = both.common(left_out="tools")
    assert np.allclose(alone.centre, left_out.centre, atol=1e-5)
    assert np.allclose(np.abs((alone.directions * left_out.directions).sum(axis=0)), 1, atol=1e-3)
    assert not np.allclose(both.common().centre, left_out.centre, atol=1e-3)


def test_what_is_left_of_a_text_holds_none_of_it() -> None:
    reading = Reading([*FILMS, *TOOLS])
    shared = reading.common()
    assert shared.directions.shape == (384, SHARED)
    for place in reading.exchanges(shared).places:
        for turn in (*place.before, place.reply):
            assert np.abs(turn.subject @ shared.directions).max() < 1e-4
            assert abs(np.linalg.norm(turn.subject) - 1) < 1e-4
