import pytest

from service.domain.conversation import Item
from service.judges.embedded.observations.similarity import characteristics, shares, similarity


def test_similarity_is_shared_over_all() -> None:
    assert similarity(frozenset("ab"), frozenset("bcd")) == 0.25
    assert similarity(frozenset(), frozenset()) == 0


def test_shares_count_the_very_similar_among_the_somewhat_similar() -> None:
    assert shares([0.5, 0.2, 0.19, 0.0]) == (0.25, 0.5)
    with pytest.raises(ValueError, match="at least one"):
        shares([])


def test_a_decade_comes_from_a_year_or_a_title() -> None:
    assert characteristics(Item("Blue Harbour (1999)"), "movie") == {"decade": {"1990s"}}
    assert characteristics(Item("Blue Harbour", attributes={"Year": ("2003",)}), "movie") == {
        "decade": {"2000s"}
    }
    assert characteristics(Item("Blue Harbour"), "movie") == {}
