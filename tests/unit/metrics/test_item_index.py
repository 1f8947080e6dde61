"""Items that a log is read with."""

from service.catalogue.catalogue import Catalogue
from service.metrics.log_index import CorpusIndex
from service.metrics.matching import Matching
from tests.unit.metrics.making import item, log

FILMS = Catalogue.of(
    [
        item("Paper Lanterns (2009)", "drama", id="p"),
        item("Quiet Tide (2001)", "drama"),
        item("Dune Song", "war"),
    ]
)


def test_own_items_replace_those_of_the_catalogue_by_title_and_id() -> None:
    corpus = CorpusIndex(FILMS, Matching.STRICT)
    item_index = corpus.item_index(
        log("x", items=[item("quiet tide (2001)", "war"), item("Paper Moons (2010)", "drama", id="p")])
    )
    assert set(item_index.fitting(["drama"]).keys) == {"paper moons (2010)"}
    assert set(item_index.fitting(["WAR"]).keys) == {"quiet tide (2001)", "dune song"}


def test_wanted_titles_that_nothing_describes_are_found_in_texts_but_make_no_catalogue() -> None:
    item_index = CorpusIndex(None, Matching.STRICT).item_index(log("x", wanted=["Silver Weir (1988)"]))
    assert [named.key for named in item_index.named("Have you seen Silver Weir?")] == ["silver weir (1988)"]
    assert not item_index.stocked


def test_a_title_in_a_text_without_its_year_may_be_any_of_that_name() -> None:
    twins = Catalogue.of([item("Dune Song (1970)", "war"), item("Dune Song (2015)", "comedy")])
    item_index = CorpusIndex(twins, Matching.STRICT).common
    targets = item_index.fitting(["war"])
    assert targets.among(item_index.named("Try Dune Song tonight."))
    assert targets.among(item_index.named("Try Dune Song (1970) tonight."))
    assert not targets.among(item_index.named("Try Dune Song (2015) tonight."))
