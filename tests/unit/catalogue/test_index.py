import time
import tracemalloc
from collections.abc import Callable

import pytest

from service.catalogue.catalogue import Catalogue
from service.catalogue.index import TitleIndex, search
from service.catalogue.titles import MAX_WORDS
from service.domain.conversation import Item
from service.text.words import tokenise


def titles(text: str, *indices: TitleIndex) -> list[str]:
    return [hit.item.title for hit in search(tokenise(text), indices)]


def test_the_first_index_wins_a_tie_and_the_longer_title_wins_over_both() -> None:
    own, shared = (
        TitleIndex([Item("Quillfeather")]),
        TitleIndex([Item("quillfeather"), Item("Quillfeather Returns")]),
    )
    assert titles("I like Quillfeather", own, shared) == ["Quillfeather"]
    assert titles("I like Quillfeather Returns", own, shared) == ["Quillfeather Returns"]


def test_a_subtitle_names_an_item_unless_two_series_share_it() -> None:
    index = TitleIndex(
        [Item("Verdant: The Glass Harbour"), Item("Amber: Lantern Quay"), Item("Onyx: Lantern Quay")]
    )
    assert titles("the glass harbour, then lantern quay", index) == ["Verdant: The Glass Harbour"]


def test_slips_are_forgiven_in_longer_words_alone() -> None:
    index = TitleIndex([Item("Quillfeather"), Item("Orla")])
    assert index.similar("quilfeather") == ["quillfeather"]
    assert index.similar("quillfeather") == ()
    assert index.similar("orlo") == ()
    assert titles("I like Quilfeather", index) == ["Quillfeather"]
    assert titles("these quilfeather things", index) == []


def test_one_slip_a_title_and_so_many_a_log() -> None:
    index = TitleIndex([Item("Quillfeather Returns Tomorrow")])
    assert titles("quilfeather returns tomorrow", index) == ["Quillfeather Returns Tomorrow"]
    assert titles("quilfeather retuns tomorrow", index) == []
    bounded = TitleIndex([Item("Quillfeather"), Item("Lanternwood")], most_forgiven=1)
    said = ("Quilfeather", "Lanternwod", "Lanternwood")
    assert [titles(f"I like {word}", bounded) for word in said] == [["Quillfeather"], [], ["Lanternwood"]]


def test_no_path_is_longer_than_the_longest_title() -> None:
    index = TitleIndex([Item("lantern " * (MAX_WORDS + 1)), Item("lantern " * MAX_WORDS)])
    assert max(len(path.split()) for path in index.entries) == MAX_WORDS


@pytest.mark.slow
def test_items_of_one_title_take_no_time_of_those_who_name_it() -> None:
    shelf = Catalogue.of(Item(f"Quillfeather ({1900 + n % 100})", id=str(n)) for n in range(20_000))
    text = "I like the Quillfeather, " * 1_500
    assert _seconds(lambda: shelf.find(text)) < 1
    assert _seconds(lambda: [shelf.match("quillfeather") for _ in range(1_500)]) < 2
    assert {mention.item.title for mention in shelf.find(text)} == {"Quillfeather (1999)"}


@pytest.mark.slow
def test_words_that_differ_in_one_letter_take_no_time_of_those_who_slip() -> None:
    index = TitleIndex([Item(f"quill{chr(0x4E00 + n)}eather") for n in range(20_000)])
    index.warm()
    assert _seconds(lambda: titles("quillfeather " * 1_000, index)) < 1


def test_a_word_too_long_for_a_slip_takes_no_memory_but_its_own() -> None:
    items = [Item(chr(97 + n % 26) * 1_000 + "x" * (1_000 + n)) for n in range(30)]
    tracemalloc.start()
    try:
        index = TitleIndex(items)
        index.warm()
        assert tracemalloc.get_traced_memory()[1] < 2_000_000  # was 120 MB
    finally:
        tracemalloc.stop()
    assert titles(f"I like {items[0].title}", index) == [items[0].title]


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
