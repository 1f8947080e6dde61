from service.domain.conversation import Item
from service.judges.embedded.observations.content.topics import akin, find_kinds, kinds_of


def test_kinds_are_wanted_unless_negated_in_their_clause() -> None:
    found = find_kinds("I want a romantic comedy, not horror. Sci-fi is fine")
    assert [(sorted(kinds), wanted) for _, kinds, wanted in found] == [
        (["romance"], True),
        (["horror"], False),
        (["sci-fi"], True),
    ]


def test_an_items_kinds_come_from_what_says_its_kind() -> None:
    item = Item(
        "Copper Canyon", attributes={"genre": ("Science Fiction", "Romance Film"), "star": ("Horror Smith",)}
    )
    assert kinds_of(item) == {"sci-fi", "romance"}
    assert kinds_of(Item("Blue Harbour")) == frozenset()


def test_neighbours_are_akin_and_strangers_are_not() -> None:
    assert akin({"thriller"}, frozenset({"crime"}))
    assert not akin({"comedy"}, frozenset({"horror"}))
    assert not akin({"comedy"}, frozenset())
