import hashlib

import pytest

from service.catalogue.catalogue import Catalogue
from service.domain.caller import ApiKey, RateLimit, find_key
from service.domain.conversation import ConversationLog, Item, Message, Role
from service.domain.nearest import nearest
from service.domain.parts import Card, ItemsPart
from service.domain.verdict import JudgeName, nearest_level


def test_the_session_list_cuts_each_reply_joins_in_order_and_drops_repeats() -> None:
    lists = (("a", "b", "c"), ("b", "d", "e"), ("a", "f"))
    shown = ConversationLog(tuple(Message(Role.ASSISTANT, "Here:", one) for one in lists))
    assert shown.session_list(2) == ("a", "b", "d", "f")
    assert shown.session_list(10) == ("a", "b", "c", "d", "e", "f")


CARDS = Message(
    Role.ASSISTANT,
    "",
    ("j1", "Moorland Parka"),
    parts=(ItemsPart((Card("j1", Item("Fellwind Shell", "j1", price=99.0)), Card("Moorland Parka"))),),
)


def test_the_catalogue_of_a_log_knows_items_of_cards_but_believes_the_items_more() -> None:
    item = Item("Fellwind Shell", "j1", price=109.0)
    by_card = Catalogue.of_log(ConversationLog((CARDS,)), None)
    by_items = Catalogue.of_log(ConversationLog((CARDS,), items=(item,)), None)
    below = Catalogue.of_log(ConversationLog((CARDS,)), Catalogue.of([item]))
    found = (each.get("j1") for each in (by_card, by_items, below) if each is not None)
    prices = [known.price for known in found if known is not None]
    assert prices == [99.0, 109.0, 109.0]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


KEYS = [
    ApiKey.parse(f"ci:score:{digest('first')}"),
    ApiKey.parse(f"ci-next:score+simulate:{digest('second')}"),
]


def test_a_key_is_found_by_its_text_alone() -> None:
    assert find_key(KEYS, b"first") == KEYS[0]
    assert find_key(KEYS, b"second") == KEYS[1]
    assert find_key(KEYS, b"third") is None
    assert find_key(KEYS, b"") is None
    assert find_key(KEYS, KEYS[0].digest) is None
    assert find_key([], b"first") is None


def test_a_key_does_not_print_its_hash() -> None:
    assert KEYS[0].digest.hex() not in repr(KEYS[0])
    assert repr(KEYS[0].digest) not in repr(KEYS[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("secret", "name:scopes:sha256"),
        (f"ci:score:{digest('x')}:more", "name:scopes:sha256"),
        (f"c i:score:{digest('x')}", "letters, digits"),
        (f"ci:scores:{digest('x')}", "no such scope 'scores'"),
        (f"ci::{digest('x')}", "no such scope ''"),
        ("ci:score:my-plain-key", "SHA-256"),
        (f"ci:score:{digest('x').upper()}", "SHA-256"),
        (f"ci:score:{digest('')}", "empty key"),
    ],
)
def test_a_wrong_key_is_reported_without_quoting_it(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r".+") as caught:
        ApiKey.parse(text)
    assert said in str(caught.value)
    assert text.rpartition(":")[2] not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "600", "0/minute", "-1/minute", "1.5/minute", "600/week", "600 / minute"]
)
def test_a_wrong_rate_is_reported(text: str) -> None:
    with pytest.raises(ValueError, match="600/minute"):
        RateLimit.parse(text)


@pytest.mark.parametrize(
    ("score", "level"),
    [(0, 0), (0.5, 0), (0.51, 1), (1.5, 1), (2.5, 2), (2.6, 3), (4, 4), (3.999, 4), (1, 1)],
)
def test_the_nearest_level_takes_halves_down(score: float, level: int) -> None:
    assert nearest_level(score) == level


@pytest.mark.parametrize("text", ["", ":", "openai:", ":gpt"])
def test_half_a_name_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="name:model"):
        JudgeName.parse(text)


FIELDS = [
    "complete", "domain", "ground_truth", "history", "id", "items", "messages", "metadata", "outcome", "system", "user",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("mesages", "messages"),
        ("Item", "items"),
        ("groundtruth", "ground_truth"),
        ("user_system", "system"),
        ("ID", "id"),
        *(
            (other, None)
            for other in ("brand", "ratings", "human", "price", "tenant", "locale", "labels", "x", "")
        ),
    ],
)
def test_slips_and_parts_are_near_and_other_words_are_not(name: str, known: str | None) -> None:
    assert nearest(name, FIELDS) == known
