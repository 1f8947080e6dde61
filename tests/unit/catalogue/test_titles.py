import time
import tracemalloc
from collections.abc import Callable

import pytest

from service.catalogue.catalogue import Catalogue
from service.catalogue.index import TitleIndex, search
from service.catalogue.title_cues import Context
from service.catalogue.title_guesses import Verbatim, guess_titles
from service.catalogue.titles import Weight, same_title, spellings, weigh
from service.domain.conversation import Item
from service.text.words import tokenise


@pytest.mark.parametrize(
    ("words", "weight"),
    [
        (("it",), Weight.FUNCTION),
        (("garden",), Weight.EVERYDAY),
        (("quillfeather",), Weight.DISTINCT),
        (("get", "out"), Weight.FUNCTION),
        (("the", "garden"), Weight.EVERYDAY),
        (("garden", "lantern"), Weight.DISTINCT),
        (("last", "horror", "movie"), Weight.FUNCTION),
    ],
)
def test_how_much_a_title_needs(words: tuple[str, ...], weight: Weight) -> None:
    assert weigh(words) is weight


@pytest.mark.parametrize(
    ("a", "b", "strict", "lenient"),
    [
        ("Rosalind (2001)", " rosalind  (2001)", True, True),
        ("\uff32osalind", "rosalind", True, True),
        ("STRASSE", "straße", True, True),
        ("Ame\u0301lie", "amélie", True, True),
        ("Rosalind (2001)", "Rosalind", False, True),
        ("Rosalind (2001)", "Rosalind (2002)", False, False),
        ("The Rosalind", "Rosalind", False, False),
        ("Rosalind!", "Rosalind", False, False),
        ("(2012)", "2012", False, False),
        ("PS, I Miss You", "PS", False, False),
    ],
)
def test_same_title(a: str, b: str, *, strict: bool, lenient: bool) -> None:
    assert same_title(a, b, year_optional=False) is strict
    assert same_title(a, b, year_optional=True) is lenient


def test_spellings_cover_numbers_numerals_and_compounds() -> None:
    assert ("seven", "lanterns") in spellings("7 Lanterns")
    assert ("7", "lanterns") in spellings("Seven Lanterns")
    assert ("harbour", "5") in spellings("Harbour V (1990)")
    assert ("starrunner",) in spellings("Star-Runner")
    assert spellings("...") == ()


LISTED = ("Sony WH-1000XM5", "The Way Back (2010)", "Delta Road and Omega Wind", "Delta Road", "Heat (1995)",
          "wireless mouse", "It", "Drama")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("The Sony WH-1000XM5 would suit you.", ["Sony WH-1000XM5"]),
        ("I'd go for the Way Back.", ["the Way Back"]),
        (
            "Delta Road and Omega Wind is one; Delta Road is another.",
            ["Delta Road and Omega Wind", "Delta Road"],
        ),
        ("take a wireless mouse", ["wireless mouse"]),
        ("Watch Heat tonight, or Heat (1995).", ["Heat", "Heat"]),
        ("Heat Wave, Heat (1986) and Heat 2 are others.", []),
        ("It is a Drama. There is a way back on the delta road.", []),
        ("", []),
    ],
)
def test_titles_are_found_as_the_list_writes_them(text: str, titles: list[str]) -> None:
    places = [place for place, _ in Verbatim(LISTED).find(text)]
    assert all(text[place.start : place.end] == place.surface for place in places)
    assert [place.surface for place in places] == titles


def supported(text: str, word: str, weight: Weight) -> bool:
    tokens = tokenise(text)
    first = tokens.words.index(word)
    return Context(tokens).supports(weight, first, first + 1, tokens.starts[first])


def test_a_seldom_used_word_is_doubted_behind_an_article_or_beside_a_surname() -> None:
    assert supported("i like quillfeather", "quillfeather", Weight.DISTINCT)
    assert not supported("i like the quillfeather", "quillfeather", Weight.DISTINCT)
    assert not supported("I like Quillfeather Osgood", "quillfeather", Weight.DISTINCT)


@pytest.mark.parametrize("text", ["I like J-Garden", "I like Garden-Friendly ones", "a long-garden wall"])
def test_a_part_of_a_compound_is_no_title(text: str) -> None:
    assert not supported(text, "garden", Weight.EVERYDAY)
    assert not supported(text, "garden", Weight.DISTINCT)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("How about Luigi's Trattoria?", ["Luigi's Trattoria"]),
        ('Read "The Night Garden" first.', ["The Night Garden"]),
        ("I recommend Moonfall (2010) and The Keep (2006).", ["Moonfall", "The Keep"]),
        ("Mr. Marsh (2002)", ["Mr. Marsh"]),
        ("Have you seen Pride and Lanterns or The Glass Harbour?", ["Pride and Lanterns", "The Glass Harbour"]),
        ("You might like Kind of Amber by Ada Marsh", ["Kind of Amber"]),
        ("You could listen to Led by Me", ["Led by Me"]),
        ("1. Blade of Dawn (1982) - great\n2. Olive Court: nice pasta\n3. Great food", ["Blade of Dawn", "Olive Court"]),
        ("You might like **Norwegian Lanterns**, I think", ["Norwegian Lanterns"]),
        ("There's Moonrise, The Iron Meadow, and Zanzibar", ["Moonrise", "The Iron Meadow", "Zanzibar"]),
        ("Try Blue Kite, Delta Road or Omega Wind (1999)!", ["Blue Kite", "Delta Road", "Omega Wind"]),
        ("Delta Road and Omega Wind are great.", ["Delta Road", "Omega Wind"]),
        ("I recommend Delta Road and The Omega Wind.", ["Delta Road", "The Omega Wind"]),
        ("Pride and Lanterns (2005), Fat Moth and the Flame (1990)", ["Pride and Lanterns", "Fat Moth and the Flame"]),
        ('Try "Delta Road and Omega Wind (1999)".', ["Delta Road and Omega Wind"]),
        ("Tom Marsh and Ada Lindqvist are great. Delta Road and Omega Wind are great directors.", []),
        ("How about the Sony WH-1000XM5?", ["Sony WH-1000XM5"]),
        ("I would go for the Kettler Moonrise 3S or a Bryndal QuietLine.", ["Kettler Moonrise 3S", "Bryndal QuietLine"]),
        ("You could get the iPhone 15 Pro. Have you seen the Hangover?", ["iPhone 15 Pro", "Hangover"]),
        ("How about the Sony headphones, the Jim Marsh one or the 9th?", []),
        ("have you seen it? It is great. There is no way.", []),
        ("How about Italian food? Try Netflix.", []),
        ('he said "no way" and "I am not so sure"', []),
        ("I like It and Her, and you?", []),
        ("Hello! How are you? My name is Jim.", []),
        ("Try it. Watch out! Would you like Some tea?", []),
        ("", []),
    ],
)  # fmt: skip
def test_guesses_are_what_the_text_marks(text: str, titles: list[str]) -> None:
    guesses = guess_titles(text)
    assert all(text[guess.start : guess.end] == guess.surface for guess in guesses)
    assert [guess.surface for guess in guesses] == titles


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


@pytest.mark.slow
def test_items_of_one_title_take_no_time_of_those_who_name_it() -> None:
    shelf = Catalogue.of(Item(f"Quillfeather ({1900 + n % 100})", id=str(n)) for n in range(20_000))
    text = "I like the Quillfeather, " * 1_500
    assert _seconds(lambda: shelf.find(text)) < 3
    assert _seconds(lambda: [shelf.match("quillfeather") for _ in range(1_500)]) < 6
    assert {mention.item.title for mention in shelf.find(text)} == {"Quillfeather (1999)"}


@pytest.mark.slow
def test_words_that_differ_in_one_letter_take_no_time_of_those_who_slip() -> None:
    index = TitleIndex([Item(f"quill{chr(0x4E00 + n)}eather") for n in range(20_000)])
    index.warm()
    assert _seconds(lambda: titles("quillfeather " * 1_000, index)) < 3


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
