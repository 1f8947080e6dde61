"""Variety of words, turns, and the first recommendation."""

import pytest

from service.catalogue.catalogue import Catalogue
from service.metrics import compute
from service.metrics.figures import Undefined
from tests.unit.metrics.making import item, lists, log, only, value


def test_distinct_is_averaged_over_sessions() -> None:
    # "the cat" "the dog": 3 of 4 words, 2 of 2 pairs within messages; "so so so": 1 of 3, 1 of 2.
    sessions = [log("The cat", "the dog"), log("so so so"), log("")]
    report = compute(sessions, metrics=["distinct_1", "distinct_2"])
    assert value(report, "distinct_1") == pytest.approx((3 / 4 + 1 / 3) / 2)
    assert value(report, "distinct_2") == pytest.approx((1 + 1 / 2) / 2)


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


def test_turns_are_runs_of_replies() -> None:
    assert only("conversation_turns", lists([], [], []), lists())[0] == 1.5
