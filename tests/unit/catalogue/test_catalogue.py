import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

from service.catalogue.catalogue import Catalogue, load_catalogues
from service.catalogue.file import read_items
from service.domain.conversation import Item
from service.errors import ConfigurationError
from tests.factories import known

TITLES = (
    "It (2017)", "It (1990)", "Her (2013)", "Up (2009)", "Us (2019)", "Signs (2002)", "Saw (2004)", "The Game (1997)",
    "The Gift", "About Time (2013)", "Yes (2004)", "The One (2001)", "2012 (2009)", "S (2012)", "Comedy (2014)",
    "The Lantern Keeper (1999)", "Harbourmaster (2003)", "Harbourmaster II (2006)", "Harbourmaster III",
    "Star-Runner (1988)", "Salt & Ember (2010)", "Ocean Eleven (2001)", "Amélie's Garden (2001)", "Moth, The (1997)",
    "PS, I Miss You (2007)", "Verdant: The Glass Harbour (2015)", "Verdant: The Iron Meadow (2018)", "W.O.L.F. (2003)",
    "Rosalind", "Jack (1996)", "Alien Nation (1988)", "Brother Lanterns (2008)", "The Long Way Home to You (2011)",
    "Zanzibar (1979)", "The Zanzibar (2005)", "13 Lanterns at Dawn (1990)", "Chapter V", "What%3F No Lanterns (2000)",
)  # fmt: skip


SHELF = Catalogue.of([Item(title) for title in TITLES], "shelf")


def found(catalogue: Catalogue, text: str) -> list[str]:
    mentions = catalogue.find(text)
    assert all(text[m.start : m.end] == m.surface for m in mentions)
    assert all(a.end <= b.start for a, b in pairwise(mentions))
    return [mention.item.title for mention in mentions]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("have you seen The Lantern Keeper?", "The Lantern Keeper (1999)"),
        ("Lantern Keeper was good", "The Lantern Keeper (1999)"),
        ("LANTERN KEEPER, THE", "The Lantern Keeper (1999)"),
        ("The Lanten Keeper was good", "The Lantern Keeper (1999)"),
        ("I saw the Lantern Keepre", "The Lantern Keeper (1999)"),
        ("the star runner one", "Star-Runner (1988)"),
        ("I like Salt and Ember", "Salt & Ember (2010)"),
        ("Ocean 11 again", "Ocean Eleven (2001)"),
        ("amelies garden", "Amélie's Garden (2001)"),
        ("Ame\u0301lie\u2019s Garden", "Amélie's Garden (2001)"),
        ("I loved The Moth when young", "Moth, The (1997)"),
        ("p.s. i miss you", "PS, I Miss You (2007)"),
        ("is The Glass Harbour good?", "Verdant: The Glass Harbour (2015)"),
        ("harbourmaster 2 it is", "Harbourmaster II (2006)"),
        ("I mean Chapter 5", "Chapter V"),
        ("the ending of Rosalind's", "Rosalind"),
        ("What? No Lanterns!", "What%3F No Lanterns (2000)"),
        ("watch W.O.L.F. tonight", "W.O.L.F. (2003)"),
        # plain words that the text marks
        ("I liked It a lot", "It (2017)"),
        ('what about "it"?', "It (2017)"),
        ("it (1990) scared me", "It (1990)"),
        ("the movie called her, is it sad?", "Her (2013)"),
        ("have you seen signs?", "Signs (2002)"),
        ("my kids love Up and so do I", "Up (2009)"),
        ("I watched The Game yesterday", "The Game (1997)"),
        ("have you seen 2012?", "2012 (2009)"),
        ("Signs is also a good one", "Signs (2002)"),
        ("try *The Gift*", "The Gift"),
        ("The Gift (2000)", "The Gift"),
        ("I like Zanzibar", "Zanzibar (1979)"),
        ("I like The Zanzibar", "The Zanzibar (2005)"),
        ("I saw Harbourmaster 7 times", "Harbourmaster (2003)"),
    ],
)
def test_a_title_is_found_however_it_is_written_or_marked(text: str, title: str) -> None:
    assert found(SHELF, text) == [title]


@pytest.mark.parametrize(
    "text",
    [
        "it is up to her and us", "I saw signs of rain", "It was great. Her sister saw it too.", "He gave us the gift",
        "yes, the one from 2012", "Yes! The one I saw", "about time you called", "I like Comedy best", "Up to you",
        "let us play the game", "rated S or so", "Jack Harlan and Jill", "IT IS FUN", "It's late", "i love it",
        "I was tired and It was late", "an alien nation", "my brother lanterns", "what was that, 2012 or 2013?",
        "Do You Want To Watch It With Us And Her", "they keep the lantern", "Harbourmaster II (1950)", "I want Harbourmaster 7", "", " \n", "????", "no such thing",
    ],
)  # fmt: skip
def test_plain_words_are_no_titles(text: str) -> None:
    assert found(SHELF, text) == []


def test_a_year_and_the_longer_title_choose() -> None:
    assert found(SHELF, "It (1990), not It (2017)") == ["It (1990)", "It (2017)"]
    both = ["Harbourmaster III", "Harbourmaster (2003)"]
    assert found(SHELF, "Harbourmaster III and harbourmaster") == both
    assert SHELF.find("I saw Her (2013) twice")[0].surface == "Her (2013)"


def test_the_best_known_stands_for_a_name_without_a_year() -> None:
    items = [Item("Rosalind (2001)", popularity=0.9), Item("Rosalind (2015)", popularity=0.2)]
    assert found(Catalogue.of(items), "I like Rosalind") == ["Rosalind (2001)"]
    assert Catalogue.of(items).match("rosalind") is items[0]


def test_a_logs_items_lie_over_a_shared_catalogue() -> None:
    base = Catalogue.of([Item("Rosalind", id="r", attributes={"genre": ("drama",)}, popularity=0.4)], "shelf")
    own = Item("rosalind", attributes={"director": ("A. Marsh",)})
    both = known(Catalogue.over([own, Item("Quillfeather", id="q")], base))
    assert (both.name, [item.title for item in both.items]) == ("shelf", ["rosalind", "Quillfeather"])
    filled = known(both.get("r"))
    assert filled is both.get("Rosalind")
    assert filled.attributes == {"genre": ("drama",), "director": ("A. Marsh",)}
    assert filled.popularity == 0.4
    assert found(both, "I like Rosalind and Quillfeather") == ["rosalind", "Quillfeather"]
    assert Catalogue.over([], base) is base
    assert Catalogue.over([], None) is None
    assert base.items[0].attributes == {"genre": ("drama",)}


def test_the_content_hash_tells_contents_apart_and_not_their_order() -> None:
    items = [Item("A (2001)", attributes={"genre": ("x", "y")}), Item("B", popularity=0.5)]
    one = Catalogue.of(items).content_hash
    assert one == Catalogue.of(items[::-1], "other name").content_hash
    assert one != Catalogue.of(items[:1]).content_hash
    assert one != Catalogue.of([items[0], Item("B", popularity=0.6)]).content_hash
    assert len(one) == len(hashlib.sha256().hexdigest())
    assert Catalogue.of([Item("\ud800 lone")]).content_hash
    assert Catalogue.over(items[:1], Catalogue.of(items[1:])) is not None


def test_other_scripts_are_searched_too() -> None:
    shelf = Catalogue.of([Item("灯台守"), Item("Сад Лантерн"), Item("حديقة الفوانيس")])
    assert found(shelf, "我喜欢灯台守。") == ["灯台守"]
    assert found(shelf, "люблю сад лантерн") == ["Сад Лантерн"]
    assert found(shelf, "أحب حديقة الفوانيس") == ["حديقة الفوانيس"]


def test_titles_too_long_or_without_words_are_known_but_not_searched_for() -> None:
    long = " ".join(f"word{n}" for n in range(60))
    shelf = Catalogue.of([Item("!!!"), Item(long)])
    assert found(shelf, f"I like !!! and {long}") == []
    assert shelf.get(long.upper()) == Item(long)


def test_catalogues_are_read_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "films.jsonl").write_text(
        '{"title": "Rosalind (2001)", "id": "r", "attributes": {"genre": "drama", "star": ["A", "B"]}}\n'
        '\n{"title": "Harbour", "popularity": 1, "description": "By the sea.", "attributes": null}\n',
        encoding="utf-8-sig",
    )
    (tmp_path / "notes.txt").write_text("not a catalogue")
    shelves = load_catalogues(tmp_path)
    assert list(shelves) == ["films"]
    first, second = shelves["films"].items
    assert (first.id, first.attributes) == ("r", {"genre": ("drama",), "star": ("A", "B")})
    assert (second.popularity, second.description) == (1.0, "By the sea.")


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"{", "not JSON"),
        (b"[]", "an item is a JSON object"),
        (b"{}", "needs a title"),
        (b'{"title": ""}', "needs a title"),
        (b'{"title": 7}', "title is a text"),
        (b'{"title": "A", "id": 7}', "id is a text"),
        (b'{"title": "A", "description": []}', "description is a text"),
        (b'{"title": "A", "year": 1999}', "unknown field 'year'"),
        (b'{"title": "A", "attributes": []}', "attributes is an object"),
        (b'{"title": "A", "attributes": {"genre": [1]}}', "attribute 'genre'"),
        (b'{"title": "A", "popularity": 1.5}', "popularity is a number from 0 to 1"),
        (b'{"title": "A", "popularity": NaN}', "popularity is a number from 0 to 1"),
        (b'{"title": "A", "popularity": true}', "popularity is a number from 0 to 1"),
        (b'{"title": "\xff"}', "not UTF-8"),
        (rb'{"title": "A\ud800"}', "half a surrogate pair"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"title": "B", "id": "one"}', "the id 'one' is already in line 1"),
    ],
)
def test_a_broken_line_is_named_with_what_is_wrong(tmp_path: Path, line: bytes, wrong: str) -> None:
    path = tmp_path / "shelf.jsonl"
    path.write_bytes(b'{"title": "Fine", "id": "one"}\n\n' + line + b"\n")
    with pytest.raises(ConfigurationError, match=r"^shelf\.jsonl, line 3: ") as raised:
        read_items(path)
    assert wrong in str(raised.value)


def test_line_separators_inside_a_title_do_not_break_the_line(tmp_path: Path) -> None:
    path = tmp_path / "shelf.jsonl"
    path.write_text('{"title": "A\u2028B"}\n', encoding="utf-8")
    assert [item.title for item in read_items(path)] == ["A\u2028B"]
