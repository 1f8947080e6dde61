import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.judges.embedded.observations.acts.hashing import SIZE, context_pieces, own_pieces
from service.judges.embedded.observations.acts.learned import SATISFACTION, SIDES, model, read_act, said


def test_pieces_are_hashes_that_case_and_typography_leave_alone() -> None:
    pieces = own_pieces("Don\u2019t you LIKE it?")
    assert pieces == own_pieces("don't you like it?")
    assert pieces != own_pieces("do you like it?")
    assert all(0 <= piece < SIZE for piece in pieces)


def test_a_title_with_its_year_is_one_word_whatever_it_is_called() -> None:
    assert own_pieces("Blue Harbour (1999)") == own_pieces("Copper Canyon (1950)")


def test_the_message_before_and_the_place_are_kept_apart_from_the_message() -> None:
    assert context_pieces("like it", 0) != context_pieces("like it", 1)
    assert context_pieces("like it", 3) == context_pieces("like it", 30)
    assert not set(own_pieces("like")) & set(context_pieces("like", 0)) - {0}


def test_long_texts_are_read_in_part() -> None:
    assert own_pieces("word " * 1_000) == own_pieces("word " * 120)


@pytest.mark.parametrize(
    ("side", "text", "before", "act"),
    [
        ("user", "Hi, can you help me find a good movie?", "", "IQU"),
        ("user", "I have seen that one already", "How about Blue Harbour?", "SEE"),
        ("user", "Sounds good, I will watch it tonight", "How about Blue Harbour?", "ACC"),
        ("user", "Who is in it?", "How about Blue Harbour?", "INQ"),
        ("reply", "What kind of movies do you like?", "Hi", "REQ"),
    ],
)
def test_what_a_message_plainly_does_is_read(side: str, text: str, before: str, act: str) -> None:
    found = read_act(side, text, before, 0 if act in {"IQU", "REQ"} else 1)
    assert act == max(found.keys() - {SATISFACTION}, key=found.__getitem__)
    assert all(0 <= value <= 1 for label, value in found.items() if label != SATISFACTION)


def test_a_glad_user_sounds_more_content_than_one_who_gives_up() -> None:
    glad = read_act("user", "Great, thank you, that sounds perfect!", "How about Blue Harbour?", 2)
    sorry = read_act("user", "No. You do not understand me at all", "How about Blue Harbour?", 2)
    assert 1 <= sorry[SATISFACTION] < glad[SATISFACTION] <= 5


def test_empty_text_is_read_too() -> None:
    assert set(read_act("user", "", "", 0)) == set(model()["user"].labels)
    assert set(model()) == set(SIDES)


def test_messages_read_together_are_read_as_each_alone() -> None:
    user = model()["user"]
    talk = [said("user", text, before, place) for place, (text, before) in enumerate(
        [("Hi", ""), ("I want a slow film about the sea", "Hello! What do you like?"), ("", "How about Blue Harbour?")]
    )]  # fmt: skip
    bare = said("user", "it may be of any length whatever then", "", 3, acts=(), answered=(), since=())
    assert not bare.cues
    for one, together in zip([*talk, bare], user.read([*talk, bare]), strict=True):
        assert user.read([one]) == [pytest.approx(together)]
    assert user.read([]) == []


def test_the_weights_of_a_piece_lie_together() -> None:
    # A piece's row would be fetched from as many places as it has columns.
    assert all(side.weights.flags.c_contiguous for side in model().values())


@pytest.mark.slow
def test_every_process_reads_the_very_same() -> None:
    script = (
        "from service.judges.embedded.observations.acts.learned import read_act;"
        "print(dict(read_act('user', 'I would rather see another film about the sea, please', 'How about Blue Harbour?', 1)))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[6],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1
