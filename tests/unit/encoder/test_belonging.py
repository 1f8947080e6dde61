"""Real replies against replies from elsewhere."""

import numpy as np
import pytest

from service.encoder.belonging import belonging, rareness, turns
from service.encoder.encoder import meaning, profile

TALKS = [
    [
        (True, "Hi! I need a restaurant in San Jose that serves vegan food."),
        (False, "There is Green Leaf in San Jose, a vegan restaurant. Shall I book a table?"),
        (True, "Yes, for two people at seven in the evening."),
        (False, "Your table for two at Green Leaf is reserved for seven in the evening."),
    ],
    [
        (True, "Can you recommend a scary movie with ghosts?"),
        (False, "The Conjuring is a frightening ghost story. Have you seen it?"),
        (True, "I have. Is there something older?"),
        (False, "Then try The Haunting from 1963, an old ghost film in black and white."),
    ],
    [
        (True, "I am looking for a cordless drill under 100 dollars."),
        (False, "This 18 volt cordless drill costs 89 dollars and comes with two batteries."),
        (True, "Does the drill come with a case?"),
        (False, "Yes, the drill and its charger come in a hard plastic case."),
    ],
]


def test_real_replies_belong_and_those_of_other_talks_do_not() -> None:
    for number, talk in enumerate(TALKS):
        other = TALKS[(number + 1) % len(TALKS)]
        real = belonging(talk)
        mixed = belonging([talk[0], other[1], talk[2], other[3]])
        assert [each.message for each in real] == [1, 3]
        assert [each.request for each in real] == [0, 2]
        assert all(one.probability > 0.5 > two.probability for one, two in zip(real, mixed, strict=True))


def test_messages_of_one_side_are_one_turn() -> None:
    spoken = [
        (False, "Hello!"),
        (True, "I want a film."),
        (True, "About ghosts."),
        (False, "Sure."),
        (False, "Seen It?"),
    ]
    found = turns(spoken)
    assert [(turn.is_user, turn.text, turn.message) for turn in found] == [
        (False, "Hello!", 0),
        (True, "I want a film. About ghosts.", 2),
        (False, "Sure. Seen It?", 4),
    ]
    assert [(each.message, each.request) for each in belonging(spoken)] == [(4, 2)]


def test_the_users_next_turn_counts_where_there_is_one() -> None:
    talk = TALKS[2]
    whole, cut = belonging(talk)[0], belonging(talk[:2])[0]
    puzzled = belonging([*talk[:2], (True, "No, a vegan restaurant in San Jose.")])[0]
    assert (whole.heard_reaction, cut.heard_reaction) == (True, False)
    assert whole.probability > puzzled.probability


@pytest.mark.parametrize("spoken", [[], [(True, "hello")], [(False, "hello")], [(False, "a"), (False, "b")]])
def test_without_a_reply_to_someone_there_is_nothing_to_say(spoken: list[tuple[bool, str]]) -> None:
    assert belonging(spoken) == []


@pytest.mark.parametrize("text", ["", "\x00", "😀" * 400, "x" * 100_000, "ghost " * 50_000])
def test_any_reply_gets_a_probability(text: str) -> None:
    (one,) = belonging([(True, "A film about ghosts?"), (False, text)])
    assert 0 <= one.probability <= 1


def test_vectors_are_three_layers_that_know_what_is_alike() -> None:
    film, movie, drill = turns(
        [(True, "a scary film"), (False, "a frightening movie"), (True, "a cordless drill")]
    )
    assert film.vector @ movie.vector > film.vector @ drill.vector + 0.2
    assert np.linalg.norm(film.vector) == pytest.approx(1, abs=1e-4)


def test_rareness_grows_with_the_place_in_the_vocabulary() -> None:
    common, rare = (meaning().pieces(word)[1] for word in ("the", "conjuring"))
    assert 0 <= rareness(common) < rareness(rare) <= 1


def test_a_turn_has_one_vector_whatever_was_asked_before() -> None:
    spoken = [
        (True, "Something calm by the sea?"),
        (False, "Try The Quiet Harbour: a slow drama by the sea."),
    ]
    alone = [turn.vector for turn in turns(spoken[:1])] + [turn.vector for turn in turns(spoken[1:])]
    profile.cache_clear()
    assert all((turn.vector == vector).all() for turn, vector in zip(turns(spoken), alone, strict=True))
    before = profile.cache_info().misses
    turns([*spoken, (True, "No, I have seen that.")])
    assert profile.cache_info().misses == before + 1
