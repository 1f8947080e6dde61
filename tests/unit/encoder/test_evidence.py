"""The numbers that the head of belonging reads, checked by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from service.encoder.belonging import Common, Turn, evidence, rareness, rarer, turns

LENGTH = 2
NEAR, SUBJECT, SHARED, MANNER = 10, 7, 21, 18
WORDS = NEAR + SUBJECT


def turn(
    is_user: bool,
    *pieces: int,
    text: str = "",
    vector: Sequence[float] = (1, 0),
    subject: Sequence[float] = (1, 0),
) -> Turn:
    return Turn(is_user, text, np.array(vector, np.float32), np.array(subject, np.float32), rarer(pieces), 0)


def test_a_row_holds_plain_numbers_and_the_reply_at_its_place() -> None:
    row = evidence([turn(True, 3000)], turn(False, 3000))
    assert row.dtype == np.float32
    assert len(row) == WORDS + SHARED + MANNER + 3 * LENGTH
    early, later, late = row[WORDS + SHARED + MANNER :].reshape(3, LENGTH)
    assert early[0] > 0
    assert not later.any()
    assert not late.any()


def test_shared_words_by_hand() -> None:
    before = [turn(False, 5000), turn(True, 3000, 1012)]
    row = evidence(before, turn(False, 3000, 4000, 1012), turn(True, 4000, 3000))
    three, four = rareness(3000), rareness(4000)
    shared = row[WORDS : WORDS + SHARED].reshape(7, 3)
    assert shared[0] == pytest.approx([three / (three + four), three, three / 3])
    assert shared[1] == pytest.approx([1, three, three / 3])
    assert shared[3] == pytest.approx([0, 0, 0])
    # The next turn repeats a piece that the reply brought up first.
    assert shared[4] == pytest.approx([four / (three + four), four, four / 3])
    assert shared[6] == pytest.approx([1, four, four / 3])


def test_cosines_by_hand() -> None:
    before = [turn(False, vector=(0, 1)), turn(True, vector=(1, 0))]
    row = evidence(before, turn(False, vector=(0.6, 0.8)), turn(True, vector=(0, 1)))
    context = (0.6 + 0.8) / np.sqrt(2)
    assert row[:NEAR] / 2 == pytest.approx(
        [0.6, 0.6, 0.6, context, 0.8, 0.8, 0.8 - 1 / np.sqrt(2), 0.8, 0.8, 0.8], abs=1e-5
    )


def test_cosines_of_what_talk_does_not_share_by_hand() -> None:
    before = [turn(False, subject=(0, 1)), turn(True, subject=(1, 0))]
    row = evidence(before, turn(False, subject=(0.8, 0.6)), turn(True, subject=(0, 1)))
    context = (0.6 + 0.8) / np.sqrt(2)
    assert row[NEAR:WORDS] == pytest.approx(
        [0.8, 0.8, 0.8, context, 0.6, 0.6, 0.6 - 1 / np.sqrt(2)], abs=1e-5
    )


def test_what_all_talk_shares_is_taken_out() -> None:
    shared = Common(np.array([0, 0, 1], np.float32), np.array([[1], [0], [0]], np.float32))
    vectors = np.array([[5, 3, 1], [7, 0, 5]], np.float32)
    assert shared.without(vectors) == pytest.approx(np.array([[0, 1, 0], [0, 0, 1]]))


def test_an_unknown_next_turn_tells_nothing() -> None:
    row = evidence([turn(True, 3000, text="why?")], turn(False, 3000, text="so"))
    manner = row[WORDS + SHARED : WORDS + SHARED + MANNER]
    assert not row[4:7].any()
    assert not row[WORDS - 3 : WORDS].any()
    assert not row[WORDS + 12 : WORDS + SHARED].any()
    assert manner[:5] == pytest.approx([1, 0, 0, 1, 0])
    assert not manner[5:8].any()


def test_a_repeated_reply_is_seen() -> None:
    said = turns([(True, "a film?"), (False, "What genre?"), (True, "horror"), (False, "What genre?")])
    place = WORDS + SHARED + 9
    assert evidence(said[:3], said[3])[place] == 1
    assert evidence(said[:1], said[1])[place] == 0
