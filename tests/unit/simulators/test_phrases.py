import random
from itertools import product

import pytest

from service.domain.conversation import User
from service.errors import InvalidRequest
from service.simulators.phrases import (
    acts,
    age_groups,
    own_words,
    persona_names,
    persona_of,
    sentence,
    style_of,
)

SLOTS = {**style_of("movie").slots, "wants": "W", "lacks": "L", "asks": "Q", "item": "I"}


def test_each_of_the_48_users_is_whole() -> None:
    assert len(persona_names()) == 12
    assert age_groups() == ("children", "teens", "adults", "seniors")
    for persona, age in product(persona_names(), age_groups()):
        user = persona_of(User(persona=persona.upper(), age_group=age.title()))
        assert user.patience >= 2
        assert user.reveals >= 1
        assert all((user.description, user.opening, user.pleased, user.displeased, user.speech))


def test_an_unknown_persona_names_those_that_there_are() -> None:
    with pytest.raises(InvalidRequest) as refused:
        persona_of(User(persona="grumpy"))
    assert "frustration" in refused.value.errors[0].fix
    assert refused.value.errors[0].pointer == "/log/user/persona"


@pytest.mark.parametrize("act", acts())
def test_every_sentence_of_an_act_can_be_filled(act: str) -> None:
    drawn = {sentence(act, random.Random(seed), SLOTS) for seed in range(60)}
    assert len(drawn) == len(acts()[act])
    assert not any("{" in text or "}" in text for text in drawn)
    assert all(text[0].isupper() for text in drawn)


def test_other_words_avoid_the_catalogues() -> None:
    for attribute in ("comedy", "horror", "vegan", "italian"):
        for seed in range(5):
            assert attribute not in (own_words(attribute, random.Random(seed)) or attribute)
    assert own_words("an unheard-of genre", random.Random(0)) is None
