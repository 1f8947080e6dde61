"""Sentences on figures of agreement."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from rich.console import Console

from service.cli.agreement import MOST_LINES, judge_ratings, summary
from service.cli.records import Record, write_records
from service.cli.scores import Run
from service.cli.tables import print_overview
from service.statistics.agreement import measure
from service.statistics.ratings import Rating
from service.usecases.wire.agreement import AgreementRow
from tests.unit.cli.making import record

FACTORS = ("overall", "coherence", "novelty", "diversity", "naturalness", "groundness", "proactiveness")


def debated(name: str, overall: float) -> Record:
    """Return what `/debate` made of a conversation."""
    said = {"judge": {"name": "local", "model": "small"}, "score": overall}
    found = record(name, {"coherence": 3})
    answer = {**(found.answer or {}), "overall": overall, "rounds": [{"statements": [said]}]}
    return replace(found, path="/debate", answer=answer)


def ratings(
    factor: str, judge: list[float], people: list[float], second: list[float] | None = None
) -> list[dict[str, Any]]:
    raters = [
        ("builtin", "judge", judge),
        ("anna", "human", people),
        *([("ben", "human", second)] if second else []),
    ]
    return [
        {"conversation": f"c{n}", "factor": factor, "rater": rater, "kind": kind, "score": score}
        for rater, kind, scores in raters
        for n, score in enumerate(scores)
    ]  # fmt: skip


def lines_of(
    given: list[dict[str, Any]], scales: dict[str, tuple[float, float]] | None = None, **options: Any
) -> list[str]:
    values = TypeAdapter(list[Rating]).validate_python(given)
    rows = measure(values, draws=100, **options).rows
    return summary([AgreementRow.of(row).model_dump(mode="json") for row in rows], given, scales or {})


UP = [0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 2]


def test_a_person_reads_who_rated_and_how_far_they_agree() -> None:
    lines = lines_of(ratings("overall", [float(x) for x in UP], [x + 0.0 for x in UP], [x / 2 for x in UP]))
    assert lines[0] == "12 conversations, rated by 2 people and 1 judge (builtin)."
    assert lines[1].startswith(
        "overall: builtin agrees closely with people (spearman 1.00, 95 % interval 1.00 to 1.00"
    )
    assert lines[2].startswith("People among themselves, on overall: Krippendorff's alpha")
    assert len(lines) == 3


def test_ten_lines_at_most_the_overall_first() -> None:
    given = [
        one
        for f in FACTORS
        for one in ratings(f, [float(x) for x in UP], [4.0 - x if f == "novelty" else x for x in UP])
    ]
    given += ratings("flat", [1.0] * 12, [2.0] * 12)
    lines = lines_of(given, {"coherence": (0, 100)})
    assert len(lines) <= MOST_LINES
    assert lines[1].startswith("overall:")
    assert "Weaker: 2 more, down to -1.00 on novelty." in lines
    assert "No agreement can be computed on flat: see `undefined` in the answer for the reason." in lines


@pytest.mark.parametrize(
    ("judge", "people", "scale", "differ"),
    [
        ([70.0, 80, 20], [4.0, 5, 1], (0, 100), True),
        ([3.0, 4, 1], [4.0, 5, 1], (0, 4), True),
        ([3.0, 4, 1], [0.0, 1, 1], (1, 5), True),
        ([3.0, 4, 1], [4.0, 3, 3], (0, 4), False),
        ([3.0, 4, 1], [1.0, 1, 1], (0, 4), False),
        ([3.0, 4, 1], [4.0, 5, 2], None, False),
    ],
)
def test_it_warns_where_scales_differ(
    judge: list[float], people: list[float], scale: tuple[float, float] | None, differ: bool
) -> None:
    lines = lines_of(ratings("overall", judge, people), {"overall": scale} if scale else {})
    warnings = [line for line in lines if line.startswith("Warning: scales differ on overall (judge ")]
    assert bool(warnings) is differ


def test_a_debates_own_score_is_a_rating_of_overall(tmp_path: Path) -> None:
    write_records(tmp_path / "r.jsonl", [debated("a", 70), debated("b", 20.5)])
    found, scales = judge_ratings([tmp_path / "r.jsonl"])
    overall = [(r["conversation"], r["rater"], r["score"]) for r in found if r["factor"] == "overall"]
    assert overall == [("a", "local:small", 70), ("b", "local:small", 20.5)]
    assert [r["rater"] for r in found if r["factor"] == "coherence"] == ["builtin", "builtin"]
    assert scales == {"coherence": (0, 4), "overall": (0, 100)}


def of_system(name: str, system: str | None, score: float) -> Record:
    return replace(record(name, {"coherence": score, "novelty": 1}), system=system)


def test_means_of_several_systems_stand_side_by_side() -> None:
    held = (("a", "one", 4), ("b", "two", 1), ("c", "two", 2), ("d", None, 0))
    given = Run("r", [of_system(*one) for one in held])
    text = io.StringIO()
    print_overview(Console(file=text, width=150), given)
    lines = [[cell.strip() for cell in line.split("\u2502")[1:-1]] for line in text.getvalue().splitlines()]
    assert ["coherence", "4.00", "1.50", "0.00"] in lines
    assert ["mean of factors", "2.50", "1.25", "0.50"] in lines
    for head in ("one (1)", "two (2)", "no system (1)"):
        assert head in text.getvalue()
