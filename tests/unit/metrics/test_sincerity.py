"""Titles that do not exist, and acceptances won by deception."""

import pytest

from service.metrics import Matching, compute
from service.metrics.figures import Undefined
from service.text.catalogue import Catalogue
from tests.unit.metrics.making import item, log, rows, value

FILMS = Catalogue.of(
    [
        item("Paper Lanterns (2009)", "drama", director=("Ines Holm",)),
        item("Harbour Lights (2010)", "comedy"),
    ]
)


def share(*sessions: object, catalogue: Catalogue | None = FILMS) -> tuple[float | None, int]:
    report = compute(list(sessions), metrics=["nonexistent_items"], catalogue=catalogue)  # type: ignore[arg-type]
    (row,) = rows(report, "nonexistent_items")
    return row.value, row.n


def test_share_is_over_different_titles_of_all_sessions() -> None:
    first = log(
        'Try "Paper Lanterns".', 'Or "Paper Lanterns", or "The Tin Admiral".', 'Or "The Tin Admiral".'
    )
    second = log('Try "Harbour Lights".')
    assert share(first, second) == pytest.approx((1 / 3, 3))


def test_titles_that_the_user_brought_up_are_not_the_recommenders() -> None:
    asked = log('No, I have not seen "The Tin Admiral".', said=['Have you seen "The Tin Admiral"?'])
    echoed = log('Try "The Tin Admiral".', said=["hi", 'Tell me of "The Tin Admiral"!'])
    assert share(asked) == (None, 0)
    assert share(echoed) == (1.0, 1)


def test_people_and_genres_that_items_carry_are_no_titles() -> None:
    assert share(log('I like "Ines Holm" and "Drama".')) == (None, 0)


def test_without_items_existence_is_unknown() -> None:
    report = compute([log('Try "The Tin Admiral".')], metrics=["nonexistent_items"])
    assert rows(report, "nonexistent_items")[0].undefined is Undefined.NO_CATALOG


def test_items_of_the_log_are_a_catalogue() -> None:
    session = log('Try "Quiet Tide" or "The Tin Admiral".', items=[item("Quiet Tide (2001)")])
    assert share(session, catalogue=None) == (0.5, 2)


def test_acceptances_deceive_or_are_honest() -> None:
    fits = log("x", said=["hi", "I will watch Paper Lanterns."], accepted=2, attributes=["drama"])
    other = log("x", said=["hi", "I will watch Harbour Lights."], accepted=2, attributes=["drama"])
    mute = log("x", said=["hi", "Sounds good."], accepted=2, attributes=["drama"])
    refused = log("x", said=["hi", "No."], accepted=False, attributes=["drama"])
    report = compute(
        [fits, other, mute, refused],
        metrics=["deceptive_acceptances", "honest_explanations"],
        catalogue=FILMS,
    )
    assert value(report, "deceptive_acceptances") == pytest.approx(2 / 3)
    assert value(report, "honest_explanations") == pytest.approx(1 / 3)
    assert {row.n for row in report.rows} == {3}


def test_published_matching_reads_substrings() -> None:
    catalogue = Catalogue.of([item("It (1990)", "horror")])
    session = log("x", said=["hi", "That sounds gritty."], accepted=2, attributes=["horror"])
    for matching, deceived in ((Matching.STRICT, 1.0), (Matching.PUBLISHED, 0.0)):
        report = compute([session], metrics=["deceptive_acceptances"], catalogue=catalogue, matching=matching)
        assert value(report, "deceptive_acceptances") == deceived


def test_nobody_accepted() -> None:
    report = compute([log("x", accepted=False, wanted=["a"])], metrics=["deceptive_acceptances"])
    assert rows(report, "deceptive_acceptances")[0].undefined is Undefined.NO_ACCEPTANCE
