import pytest

from service.judges.embedded.observations.acts.acts import reaction, sentiment, user_acts
from service.text.words import words


def _reaction(text: str) -> float:
    return reaction(user_acts(text), sentiment(words(text)))


@pytest.mark.parametrize("text", ["That's not what I asked", "you already said that", "wrong"])
def test_an_objection_is_the_worst_reaction(text: str) -> None:
    assert _reaction(text) == -1


def test_taking_it_up_is_the_best_reaction() -> None:
    assert _reaction("Perfect, thank you!") == 1


def test_negation_turns_a_word_round() -> None:
    assert sentiment(words("I did not enjoy it")) == -1
    assert sentiment(words("not bad")) == 1
    assert sentiment(words("the one from 1999")) == 0


def test_reactions_are_ordered() -> None:
    assert (
        _reaction("that is wrong")
        < _reaction("no, I don't like westerns")
        < _reaction("the one from 1999")
        < _reaction("Great, I'll watch it")
    )
