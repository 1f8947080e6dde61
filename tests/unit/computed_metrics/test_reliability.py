"""Two wordings of one message, worked by hand."""

import pytest

from service.catalogue.catalogue import Catalogue
from service.computed_metrics import MetricsReport, compute
from service.computed_metrics.abilities import Ability
from service.computed_metrics.figures import Undefined
from service.computed_metrics.reply_pairs import Reply, ReplyPair
from tests.unit.computed_metrics.making import item, log, rows, value

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
            *(pair(LANTERNS, other, "drama") for other in (LANTERNS, ORCHARD, HARBOUR, None)),
            pair(None, None, "drama"),
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


def test_text_view_reads_the_titles_named() -> None:
    same = ReplyPair(Reply("Try Paper Lanterns (2009)!"), Reply("Have you seen Paper Lanterns?"))
    asks = ReplyPair(Reply("Try Paper Lanterns (2009)!"), Reply("What do you like?"))
    found = compute([], reply_pairs=[same, asks], catalogue=FILMS)
    assert value(found, "consistent_action", view="text") == 0.5
    assert value(found, "consistent_recommendation", view="text") == 1.0
    assert rows(found, "consistent_action", view="lists")[0].undefined is Undefined.NO_REPLY_PAIRS


def test_unknown_fit_lowers_n_and_leaves_no_score() -> None:
    pairs = [pair(LANTERNS, other, "drama") for other in (LANTERNS, ORCHARD, HARBOUR)]
    known = compute([], reply_pairs=pairs, catalogue=FILMS).abilities[Ability.RELIABILITY][0]
    assert known.score == pytest.approx(1 + 4 * (1 + 2 / 3) / 2)
    (score,) = compute([], reply_pairs=pairs).abilities[Ability.RELIABILITY]
    assert (score.score, score.interval, score.missing) == (None, None, ("sensitive_pairs",))
    (_, sensitive) = score.parts
    assert (sensitive.value, sensitive.n, sensitive.undefined) == (None, 1, Undefined.NO_CATALOG)


@pytest.mark.parametrize(("first", "second"), [(LANTERNS, "Tin Admiral"), ("Tin Admiral", HARBOUR)])
def test_an_item_that_nothing_holds_or_that_is_known_not_to_fit_is_sensitive(first: str, second: str) -> None:
    logs = [log("x", items=FILMS.items)] if second == HARBOUR else []
    found = compute(logs, reply_pairs=[pair(first, second, "drama")], catalogue=None if logs else FILMS)
    assert value(found, "sensitivity", view="lists") == 1.0


def test_an_id_that_two_logs_give_to_different_items_names_none() -> None:
    logs = [
        log("x", items=[item(LANTERNS, "drama", id="1")]),
        log("y", items=[item(HARBOUR, "comedy", id="1")]),
    ]
    found = compute(logs, reply_pairs=[pair("1", LANTERNS, "drama")])
    assert rows(found, "sensitivity", view="lists")[0].undefined is Undefined.UNKNOWN_ITEMS
