"""nDCG, reciprocal rank, hit rate and recall against trec_eval, and worked by hand."""

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytrec_eval import RelevanceEvaluator

from service.catalogue.catalogue import Catalogue
from service.computed_metrics import compute
from service.computed_metrics.figures import Undefined
from tests.unit.computed_metrics.making import item, lists, log, reasons, rows, value

TITLES = [f"film {number}" for number in range(12)]
LIST = st.lists(st.sampled_from(TITLES), unique=True, min_size=1, max_size=10)
WANTED = st.lists(st.sampled_from(TITLES), unique=True, min_size=1, max_size=6)
CUTS = (1, 3, 5, None)


def by_trec_eval(shown: Sequence[str], wanted: Sequence[str], k: int | None) -> dict[str, float]:
    """The values of trec_eval for a list cut at `k`."""
    depth = k or len(TITLES)
    evaluator = RelevanceEvaluator(
        {"q": dict.fromkeys(wanted, 1)}, {f"{name}.{depth}" for name in ("ndcg_cut", "success", "recall")} | {"recip_rank"}
    )  # fmt: skip
    run = {title: float(-place) for place, title in enumerate(shown[:k])}
    found = evaluator.evaluate({"q": run})["q"]
    return {
        "ndcg": found[f"ndcg_cut_{depth}"],
        "mrr": found["recip_rank"],
        "hit_rate": found[f"success_{depth}"],
        "recall": found[f"recall_{depth}"],
    }


@given(LIST, WANTED)
def test_ranking_metrics_are_those_of_trec_eval(shown: list[str], wanted: list[str]) -> None:
    report = compute(
        [lists(shown, wanted=wanted)], metrics=["ndcg", "mrr", "hit_rate", "recall"], k=[1, 3, 5]
    )
    for k in CUTS:
        for metric, expected in by_trec_eval(shown, wanted, k).items():
            found = rows(report, metric, k=k)
            assert found
            assert [row.value for row in found] == pytest.approx([expected] * len(found)), (metric, k)


def test_the_success_rate_ratio_counts_turns_that_recommend() -> None:
    sessions = [
        log(
            "Which kind?",
            ("See.", ["b"]),
            ("See.", ["a"]),
            said=["hi", "so", "no", "yes"],
            wanted=["a"],
            accepted=6,
        ),
        log("Hm?", ("See.", []), wanted=["a"], accepted=False),
        log("Hm?"),
    ]
    found = compute(sessions, metrics=["success_rate_ratio"]).rows
    assert {row.view: (row.value, row.n) for row in found} == {
        "lists": (0.25, 2),
        "text": (0.0, 2),
        "user": (0.25, 2),
    }


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


@pytest.mark.parametrize("metric", ["catalog_coverage", "intra_list_diversity"])
def test_reasons_tell_apart_what_is_missing(metric: str) -> None:
    for session, reason in ((log("hi"), Undefined.NO_LISTS), (lists(["a"]), Undefined.NO_CATALOG)):
        assert reasons(metric, session) == {reason}


def test_an_item_that_a_session_lists_by_id_and_by_title_is_in_its_list_once() -> None:
    known = [item("a", "x", id="i1"), item("b", "y")]
    session = log(("See.", ["i1"]), ("See.", ["a", "b"]), wanted=["b"], items=known)
    report = compute([session], metrics=["mrr", "intra_list_diversity"], k=[2])
    for metric, expected in (("mrr", 1 / 2), ("intra_list_diversity", 1.0)):
        assert {row.value for row in rows(report, metric, scope="session")} == {expected}
