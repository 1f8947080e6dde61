import pytest

from service.exam.pair import MinimalPair, pair_errors
from service.faults import load_faults

from .making import pair

GOOD = ("U: a quiet fan under 40?", "A: The Breeze, 35 euros.", "U: and a red one?", "A: The Breeze in red.")


def fields(one: MinimalPair) -> list[str]:
    return [error.field for error in pair_errors(one, load_faults())]


@pytest.mark.parametrize(
    "sound",
    [
        pair(GOOD, (GOOD[0], "A: Read the page yourself.", *GOOD[2:])),
        pair(GOOD, ("U: a loud fan under 40?", *GOOD[1:]), fault="contradicts-user"),
        pair(GOOD, (*GOOD[:3],), 3, fault="no-reply"),
        pair(GOOD, (GOOD[0], *GOOD[2:]), fault="no-reply"),
        pair(GOOD, (GOOD[0], "A: Go away.", "U: How rude!", "A: So what."), reacts=True),
    ],
)
def test_sound_pairs_pass(sound: MinimalPair) -> None:
    assert fields(sound) == []


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (pair(GOOD, (GOOD[0], "A: No.", *GOOD[2:]), fault="grumpy"), "fault"),
        (pair(GOOD, GOOD, 7), "message"),
        (pair(GOOD, (GOOD[0], "A: No.", *GOOD[2:]), 2), "message"),
        (pair(GOOD, GOOD), "bad"),
        (pair(GOOD, ("U: hm?", "A: No.", *GOOD[2:])), "bad"),
        (pair(GOOD, (GOOD[0], "A: No.", "U: Oh?", GOOD[3])), "bad"),
        (pair(GOOD, (GOOD[0], "A: No.", *GOOD[2:]), 3), "message"),
        (pair(GOOD, GOOD[:1]), "bad"),
        (pair(GOOD, (GOOD[0], "T: No.", *GOOD[2:])), "bad"),
        (pair(GOOD, GOOD, 3, fault="no-reply"), "bad"),
        (pair(GOOD, (GOOD[0], GOOD[2], "A: Blue."), fault="no-reply"), "bad"),
    ],
)
def test_a_pair_that_is_not_minimal_names_the_field(wrong: MinimalPair, field: str) -> None:
    assert fields(wrong) == [field]


def test_a_missing_reply_may_be_placed_at_any_message_that_waits() -> None:
    assert pair(GOOD, (GOOD[0], *GOOD[2:]), fault="no-reply").spoiled == (0, 1)
    assert pair(GOOD, GOOD[:3], 3, fault="no-reply").spoiled == (2,)
