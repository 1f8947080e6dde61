"""Two wordings of one message, worked by hand."""

import pytest

from service.metrics import MetricsReport, compute
from service.metrics.abilities import Ability
from service.metrics.figures import Undefined
from service.metrics.reliability import Reply, ReplyPair
from service.text.catalogue import Catalogue
from tests.unit.metrics.making import item, rows, value

FILMS = Catalogue.of(
    [
        item("Paper Lanterns (2009)", "drama"),
        item("Orchard of Glass (2004)", "drama", "war"),
        item("Harbour Lights (2010)", "comedy"),
    ]
)
LANTERNS, ORCHARD, HARBOUR = (found.title for found in FILMS.items)


def pair(first: str | None, second: str | None, *attributes: str) -> ReplyPair:
    """Replies that list one title, or none."""
    return ReplyPair(_listing(first), _listing(second), attributes)


def _listing(title: str | None) -> Reply:
    return Reply("", (title,) if title else ())


@pytest.fixture(scope="module")
def report() -> MetricsReport:
    return compute(
        [],
        reply_pairs=[
            pair(LANTERNS, LANTERNS, "drama"),
            pair(LANTERNS, ORCHARD, "drama"),
            pair(LANTERNS, HARBOUR, "drama"),
            pair(None, None, "drama"),
            pair(LANTERNS, None, "drama"),
        ],
        catalogue=FILMS,
    )


@pytest.mark.parametrize(
    ("metric", "expected", "n"),
    [
        ("consistent_action", 4 / 5, 5),
        ("consistent_recommendation", 1 / 3, 3),
        ("diverse_recommendation", 1 / 2, 2),
        ("sensitivity", 1 / 2, 2),
    ],
)
def test_shares(report: MetricsReport, metric: str, expected: float, n: int) -> None:
    (row,) = rows(report, metric, view="lists")
    assert (row.value, row.n) == pytest.approx((expected, n))


def test_roll_up_rests_on_action_and_sensitive_pairs(report: MetricsReport) -> None:
    (score,) = report.abilities[Ability.RELIABILITY]
    assert score.score == pytest.approx(1 + 4 * (4 / 5 + (1 - 1 / 5)) / 2)
    assert score.n == 5


def test_text_view_reads_the_titles_named() -> None:
    same = ReplyPair(Reply("Try Paper Lanterns (2009)!"), Reply("Have you seen Paper Lanterns?"))
    asks = ReplyPair(Reply("Try Paper Lanterns (2009)!"), Reply("What do you like?"))
    found = compute([], reply_pairs=[same, asks], catalogue=FILMS)
    assert value(found, "consistent_action", view="text") == 0.5
    assert value(found, "consistent_recommendation", view="text") == 1.0
    assert rows(found, "consistent_action", view="lists")[0].undefined is Undefined.NO_REPLY_PAIRS


def test_an_item_that_no_catalogue_holds_does_not_fit() -> None:
    found = compute([], reply_pairs=[pair(LANTERNS, "Tin Admiral", "drama")], catalogue=FILMS)
    assert value(found, "sensitivity", view="lists") == 1.0


def test_without_attributes_different_items_are_not_judged() -> None:
    found = compute([], reply_pairs=[pair(LANTERNS, HARBOUR)], catalogue=FILMS)
    (row,) = rows(found, "sensitivity", view="lists")
    assert (row.value, row.undefined) == (None, Undefined.NO_DIFFERENT_ITEMS)
    assert found.abilities[Ability.RELIABILITY][0].missing == ("sensitive_pairs",)
