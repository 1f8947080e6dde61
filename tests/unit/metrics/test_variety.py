"""Intra-list diversity and catalogue coverage, against the definitions read plainly, and worked by hand."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.catalogue.catalogue import Catalogue
from service.metrics import compute
from service.metrics.figures import Undefined
from tests.unit.metrics.making import item, lists, log, reasons, rows, value

GENRES = {
    "ash": {"drama"}, "birch": {"drama", "war"}, "cedar": {"comedy"}, "dogwood": {"war", "comedy", "crime"}, "elm": set()
}  # fmt: skip
FILMS = Catalogue.of([item(title, *sorted(genres)) for title, genres in GENRES.items()])
SHOWN = st.lists(st.sampled_from([*GENRES, "unknown"]), max_size=8)


def diversity(shown: list[str]) -> float | None:
    known = [GENRES[title] for title in dict.fromkeys(shown) if GENRES.get(title)]
    distances = [1 - len(a & b) / len(a | b) for a, b in combinations(known, 2)]
    return sum(distances) / len(distances) if distances else None


@given(st.lists(SHOWN, min_size=1, max_size=3))
def test_diversity_is_the_mean_distance_of_pairs(shown: list[list[str]]) -> None:
    report = compute([lists(*shown)], metrics=["intra_list_diversity"], k=[1, 2, 3], catalogue=FILMS)
    assert not rows(report, "intra_list_diversity", k=1)
    for k in (2, 3, None):
        each = [found for one in shown if (found := diversity(one[:k])) is not None]
        expected = pytest.approx(sum(each) / len(each)) if each else None
        for group in ({}, {"by": "genre"}):
            assert value(report, "intra_list_diversity", scope="turn", k=k, group=group) == expected
        session = diversity(list(dict.fromkeys(title for one in shown for title in one))[:k])
        assert value(report, "intra_list_diversity", scope="session", k=k, group={}) == (
            None if session is None else pytest.approx(session)
        )


def test_genres_are_told_from_other_attributes() -> None:
    items = [item("a", "drama", star=("Ann",)), item("b", "Drama", star=("Bo",))]
    report = compute([log(("", ["a", "b"]), items=items)], metrics=["intra_list_diversity"], k=[])
    assert value(report, "intra_list_diversity", scope="turn", group={}) == pytest.approx(2 / 3)
    assert value(report, "intra_list_diversity", scope="turn", group={"by": "genre"}) == 0.0


@given(st.lists(st.lists(SHOWN, min_size=1, max_size=3), min_size=1, max_size=4))
def test_coverage_is_that_of_the_union(sessions: list[list[list[str]]]) -> None:
    report = compute(
        [lists(*shown) for shown in sessions], metrics=["catalog_coverage"], k=[1, 3], catalogue=FILMS
    )
    for k in (1, 3, None):
        union = {title for shown in sessions for one in shown for title in one[:k]} & set(GENRES)
        (row,) = rows(report, "catalog_coverage", k=k)
        assert row.value == pytest.approx(len(union) / 5)
        assert (row.n, row.interval) == (5, None)


def test_coverage_by_system_has_one_catalogue() -> None:
    sessions = [
        log(("", [title]), system=system) for title, system in (("ash", "x"), ("ash", "x"), ("elm", "y"))
    ]
    report = compute(sessions, metrics=["catalog_coverage"], k=[], group_by=["system"], catalogue=FILMS)
    assert [row.value for row in report.rows] == [0.2, 0.2]
    spread = compute(sessions, metrics=["catalog_coverage"], k=[], spread_over=["system"], catalogue=FILMS)
    assert [row.value for row in spread.rows] == pytest.approx([0.4, 0.2, 0.0])
    assert all(row.interval is None for row in spread.rows)


def test_without_a_catalogue_coverage_is_of_the_logs_items() -> None:
    own = [item("Quiet Tide (2001)", "drama", id="f1"), item("Loud Tide (2002)", "drama")]
    sessions = [log(("", ["f1", "Loud Tide (2001)"]), items=own), log(("", ["z"]), items=[item("z", "war")])]
    assert value(compute(sessions, metrics=["catalog_coverage"], k=[]), "catalog_coverage") == pytest.approx(
        2 / 3
    )


@pytest.mark.parametrize("metric", ["catalog_coverage", "intra_list_diversity"])
def test_reasons_tell_apart_what_is_missing(metric: str) -> None:
    for session, reason in ((log("hi"), Undefined.NO_LISTS), (lists(["a"]), Undefined.NO_CATALOG)):
        assert reasons(metric, session) == {reason}
