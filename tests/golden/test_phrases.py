"""Phrases of people and recommenders in our own words, over many domains.

Whatever changes in the rules, patterns and heads together go on hearing each as what it does. Who is pleased is never
taken to object. The heads were taught with them: `make -C research train-judge ACTS=1` prints what is heard of phrases that
were left out."""

from functools import cache

import pytest

from research.train_judge.talk import Phrase, phrases
from service.encoder.encoder import profile
from service.judges.embedded.observations.acts.acts import VARIED, reply_acts, user_acts, varied_acts

#: The acts of which one must be heard, by kind of phrase.
WANTED = {
    ("user", "accept"): {"accept"},
    ("user", "object"): {"complain", "reject"},
    ("user", "seen"): {"seen"},
    ("reply", "elicit"): {"elicit", "offer"},
    ("reply", "recommend"): {"recommend"},
    ("reply", "apologise"): {"apologise"},
    ("reply", "offer"): {"offer", "elicit"},
}
#: Acts that must not be heard, likewise.
FORBIDDEN = {
    ("user", "accept"): {"complain", "reject"},
    ("user", "object"): {"accept"},
    ("reply", "plain"): {"recommend"},
}
#: The shares of a kind's phrases that may go unheard, and that may be heard as what they do not do: a head draws one line through all
#: wordings.
UNHEARD, MISHEARD = 0.12, 0.02


@cache
def heard(phrase: Phrase) -> set[str]:
    """Return all acts that the judge hears."""
    shown = {*(user_acts if phrase.side == "user" else reply_acts)(phrase.text)}
    return (
        shown
        if shown & VARIED[phrase.side].keys()
        else shown | varied_acts(phrase.side, profile(phrase.text), phrase.text)
    )


def of(side: str, kind: str) -> list[Phrase]:
    """The phrases of one kind."""
    return [phrase for phrase in phrases() if (phrase.side, phrase.kind) == (side, kind)]


def test_all_kinds_are_asked_for() -> None:
    known = {(phrase.side, phrase.kind) for phrase in phrases() if phrase.kind != "other"}
    assert known == WANTED.keys() | FORBIDDEN.keys()


@pytest.mark.parametrize(("side", "kind"), WANTED)
def test_what_a_phrase_does_is_heard(side: str, kind: str) -> None:
    some = of(side, kind)
    unheard = [phrase.text for phrase in some if not WANTED[side, kind] & heard(phrase)]
    assert len(some) > 10
    assert len(unheard) <= UNHEARD * len(some), unheard


@pytest.mark.parametrize(("side", "kind"), FORBIDDEN)
def test_what_a_phrase_does_not_do_is_not_heard(side: str, kind: str) -> None:
    wrong = [phrase.text for phrase in of(side, kind) if FORBIDDEN[side, kind] & heard(phrase)]
    assert len(wrong) <= MISHEARD * len(of(side, kind)), wrong


def test_acts_of_other_phrases_are_heard() -> None:
    told = [(act, phrase) for phrase in phrases() if phrase.kind == "other" for act in phrase.acts]
    unheard = [(act, phrase.text) for act, phrase in told if act not in heard(phrase)]
    assert len(told) > 50
    assert len(unheard) <= UNHEARD * len(told), unheard
