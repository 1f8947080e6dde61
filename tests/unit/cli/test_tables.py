"""Results on a terminal."""

import io

import pytest
from rich.console import Console

from service.cli.overview import mean_interval, rows
from service.cli.records import Record
from service.cli.scores import Run
from service.cli.tables import print_overview
from tests.unit.cli.making import record, run


def shown(given: Run) -> list[list[str]]:
    """The cells of each line that is printed."""
    text = io.StringIO()
    print_overview(Console(file=text, width=150), given)
    return [[cell.strip() for cell in line.split("\u2502")[1:-1]] for line in text.getvalue().splitlines()]


def of_system(name: str, system: str | None, score: float) -> Record:
    found = record(name, {"coherence": score, "novelty": 1})
    return Record(name, system, found.path, found.request, found.answer, None)


def test_means_of_several_systems_stand_side_by_side() -> None:
    given = Run(
        "r",
        [
            of_system("a", "one", 4),
            of_system("b", "two", 1),
            of_system("c", "two", 2),
            of_system("d", None, 0),
        ],
    )
    lines = shown(given)
    assert ["coherence", "4.00", "1.50", "0.00"] in lines
    assert ["mean of factors", "2.50", "1.25", "0.50"] in lines
    text = io.StringIO()
    print_overview(Console(file=text, width=150), given)
    for head in ("one (1)", "two (2)", "no system (1)"):
        assert head in text.getvalue()


def test_a_debate_is_the_overall_score() -> None:
    found = record("a", {"coherence": 4, "novelty": 2})
    debated = Record("a", None, "/debate", "d", {**(found.answer or {}), "overall": 71.5, "rounds": []}, None)
    lines = shown(Run("r", [debated]))
    assert [line[:2] for line in lines if line[:1] == ["overall"]] == [["overall", "71.50 of 100"]]
    assert [line[:2] for line in lines if line[:1] == ["mean of factors"]] == [
        ["mean of factors", "3.00 of 4"]
    ]


def test_means_and_counts() -> None:
    made = rows(
        run(
            "r",
            {
                "a": {"coherence": 4, "novelty": 1},
                "b": {"coherence": 2, "novelty": None},
                "c": {"coherence": 3, "novelty": "timeout"},
            },
        )
    )
    coherence, novelty, overall = made
    assert coherence.mean == 3
    assert (novelty.n, novelty.not_assessable, novelty.failed) == (1, 1, 1)
    assert novelty.interval is None
    # A failure is no 0: b and c rest on coherence alone.
    assert overall.mean == pytest.approx((2.5 + 2 + 3) / 3)


def test_overall_puts_scales_together() -> None:
    one = record("a", {"coherence": 4})
    assert one.answer is not None
    other = {
        **one.answer["verdicts"][0],
        "factor": "pepper-coherence",
        "score": 3.0,
        "scale": {"min": 1, "max": 5},
    }
    one.answer["verdicts"].append(other)
    assert rows(Run("r", [one]))[-1].mean == pytest.approx((4 + 2) / 2)


def test_the_interval_holds_the_mean_and_needs_two() -> None:
    low, high = mean_interval([0, 1, 2, 3, 4] * 10) or (9, 9)
    assert 1.4 < low < 2 < high < 2.6
    assert mean_interval([1.0]) is None
