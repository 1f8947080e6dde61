"""Variety of words, turns, and the first recommendation."""

from service.catalogue.catalogue import Catalogue
from service.metrics import compute
from service.metrics.figures import Undefined
from tests.unit.metrics.making import item, log, only


def test_no_words_no_variety() -> None:
    assert only("distinct_2", log("", "")) == (None, 0, Undefined.NO_WORDS)


def test_turns_before_the_first_recommendation() -> None:
    catalogue = Catalogue.of([item("Paper Lanterns (2009)")])
    sessions = [
        log(("Which genre?", []), ("Try Paper Lanterns (2009).", ["Paper Lanterns (2009)"])),
        log(("Hello.", ["Paper Lanterns (2009)"])),
        log(("Hm.", [])),
    ]
    report = compute(sessions, metrics=["turns_before_recommendation"], catalogue=catalogue)
    by_view = {row.view: (row.value, row.n) for row in report.rows}
    assert by_view == {"lists": (0.5, 2), "text": (1.0, 1)}
