"""Results on a terminal."""

import io

import pytest
from rich.console import Console

from service.cli.records import Record
from service.cli.scores import Run
from service.cli.tables import print_overview, print_rows, told
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


def test_many_systems_are_told_by_their_overall_mean() -> None:
    lines = shown(Run("r", [of_system(f"c{n}", f"system-{n}", 3) for n in range(9)]))
    assert sum(line == [f"system-{n}", "1", "2.00", ""] for n in range(9) for line in lines) == 9


def test_one_system_has_one_table() -> None:
    assert sum(line[:1] == ["coherence"] for line in shown(run("r", {"a": {"coherence": 4}}))) == 1


def test_a_debate_is_the_overall_score() -> None:
    found = record("a", {"coherence": 4, "novelty": 2})
    debated = Record("a", None, "/debate", "d", {**(found.answer or {}), "overall": 71.5, "rounds": []}, None)
    lines = shown(Run("r", [debated]))
    assert [line[:2] for line in lines if line[:1] == ["overall"]] == [["overall", "71.50 of 100"]]
    assert [line[:2] for line in lines if line[:1] == ["mean of factors"]] == [
        ["mean of factors", "3.00 of 4"]
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(-0.0, "0"), (-0.00001234, "-1.23e-05"), (0.5, "0.5"), ({"low": -0.0, "high": 1.0}, "0 to 1")],
)
def test_cells(value: object, expected: str) -> None:
    assert told(value) == expected


def test_rows_leave_out_empty_columns() -> None:
    text = io.StringIO()
    print_rows(Console(file=text, width=80), "t", ["a", "value"], [{"a": None, "value": -0.0}])
    assert "-0" not in text.getvalue()
