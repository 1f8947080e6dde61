"""Recall, success, turns and acceptance, worked by hand."""

import pytest

from service.catalogue.catalogue import Catalogue
from service.computed_metrics import Matching, compute
from service.computed_metrics.figures import Undefined
from service.computed_metrics.log_index import CorpusIndex
from service.domain.conversation import ConversationLog
from tests.unit.computed_metrics.making import item, lists, log, reasons, rows, value

FILMS = Catalogue.of(
    [
        item("The Paper Lantern (1999)", "drama", "war"),
        item("Orchard of Glass (2004)", "drama", "war", "romance"),
        item("Harbour Lights (2010)", "comedy"),
        item("Salt and Smoke (2015)", "Drama", "comedy"),
    ]
)


def test_targets_are_the_items_with_all_wanted_attributes_whatever_the_case() -> None:
    shown = ["Orchard of Glass (2004)", "Harbour Lights (2010)"]
    report = compute(
        [log(("", shown), attributes=["DRAMA", "war"])], metrics=["recall"], k=[1], catalogue=FILMS
    )
    assert value(report, "recall", scope="last", k=1) == 0.5


def test_repeats_count_once_but_in_the_published_way() -> None:
    session = lists(["a", "a", "b"], wanted=["a", "b", "c", "d"])
    strict = compute([session], metrics=["recall"], k=[2])
    published = compute([session], metrics=["recall"], k=[2], matching=Matching.PUBLISHED)
    assert value(strict, "recall", scope="last", k=2) == 0.25
    assert value(published, "recall", scope="last", k=2) == 0.5


@pytest.mark.parametrize(
    ("shown", "wanted", "strict", "published"),
    [
        ("The Paper Lantern (1999)", "the  paper lantern (1999)", 1.0, 0.0),
        ("The Paper Lantern", "The Paper Lantern (1999)", 1.0, 0.0),
        ("The Paper Lantern (2001)", "The Paper Lantern (1999)", 0.0, 0.0),
        ("Lanterns, Paper", "Lanterns", 0.0, 0.0),
        ("The Paper Lantern (1999)", "The Paper Lantern (1999)", 1.0, 1.0),
    ],
)
def test_a_missing_year_matches_ground_truth_unless_published(
    shown: str, wanted: str, strict: float, published: float
) -> None:
    session = lists([shown], wanted=[wanted])
    for matching, expected in ((Matching.STRICT, strict), (Matching.PUBLISHED, published)):
        report = compute([session], metrics=["recall"], k=[1], matching=matching)
        assert value(report, "recall", scope="last", k=1) == expected


def test_ids_of_the_logs_items_stand_for_their_titles() -> None:
    session = log(("", ["f1"]), wanted=["Quiet Tide (2001)"], items=[item("Quiet Tide (2001)", id="f1")])
    assert value(compute([session], metrics=["recall"], k=[1]), "recall", scope="last", k=1) == 1.0


def test_turns_to_acceptance_counts_user_messages() -> None:
    third = log("x", "x", said=["a", "b", "c"], accepted=4)
    eleventh = log(*["x"] * 10, said=["a"] * 11, accepted=20)
    unknown = log("x", accepted=True)
    report = compute([third, eleventh, unknown], metrics=["turns_to_acceptance"])
    ten, any_ = rows(report, "turns_to_acceptance")
    assert (ten.turn, ten.value, ten.n) == (10, 3.0, 1)
    assert (any_.turn, any_.value, any_.n) == (None, 7.0, 2)


@pytest.mark.parametrize(
    ("metric", "session", "reason"),
    [
        ("recall", log("hi", wanted=["a"]), Undefined.NO_LISTS),
        ("turns_to_acceptance", log("hi"), Undefined.NO_OUTCOME),
        ("turns_to_acceptance", log("hi", accepted=False), Undefined.NO_ACCEPTANCE),
        ("turns_to_acceptance", log("x", accepted=True), Undefined.NO_MESSAGE),
        ("deceptive_acceptances", log("x", accepted=True), Undefined.NO_MESSAGE),
        ("average_turns", lists(["x"], wanted=["a"]), Undefined.NO_SUCCESS),
    ],
)
def test_reasons_tell_apart_what_is_missing(metric: str, session: ConversationLog, reason: Undefined) -> None:
    assert reason in reasons(metric, session, k=[], turns=[])


SHELF = Catalogue.of(
    [
        item("Paper Lanterns (2009)", "drama", id="p"),
        item("Quiet Tide (2001)", "drama"),
        item("Dune Song", "war"),
    ]
)


def test_own_items_replace_those_of_the_catalogue_by_title_and_id() -> None:
    corpus = CorpusIndex(SHELF, Matching.STRICT)
    item_index = corpus.item_index(
        log("x", items=[item("quiet tide (2001)", "war"), item("Paper Moons (2010)", "drama", id="p")])
    )
    assert set(item_index.fitting(["drama"]).keys) == {"paper moons (2010)"}
    assert set(item_index.fitting(["WAR"]).keys) == {"quiet tide (2001)", "dune song"}
