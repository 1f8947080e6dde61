"""Results for people."""

import io
from typing import Any

import pytest
from rich.console import Console

from service.cli.exits import Exit
from service.cli.options import ShowOptions
from service.cli.outputs import show
from service.cli.score_view import conversation_rows, exit_under, explained_overall, print_scores
from service.cli.scores import Run
from service.domain.counts import ACCEPTED, CONTENT, KEPT, SOUND
from service.scoring import overall
from service.scoring.overall import COUNTED, FACTORS, OverallModel
from tests.unit.cli.making import record


def low(score: float) -> Any:
    one = record("a", {"coherence": 3})
    assert one.answer is not None
    one.answer["summaries"] = [{"overall": score, "confidence": 0.1}]
    one.answer["verdicts"][0]["turns"] = [{"message": 1, "score": 2.4}, {"message": 3, "score": 0.8}]
    return one


def test_a_low_score_without_a_fault_shows_its_weakest_reply() -> None:
    (row,) = conversation_rows(Run("r", [low(1.0)]))
    assert row.why == "no likely fault; weakest: message 3"
    (row,) = conversation_rows(Run("r", [low(3.0)]))
    assert row.why == ""


@pytest.mark.parametrize(("least", "first"), [(None, "{"), (3.0, "a")])
def test_a_pipe_gets_lines_of_json_unless_a_bar_is_set(
    least: float | None, first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show(Run("r", [low(1.0)]), ShowOptions(fail_under=least), Console(file=io.StringIO()), written=False)
    assert capsys.readouterr().out.startswith(first)


@pytest.mark.parametrize(
    ("scores", "least", "code", "said"),
    [
        ([3.3] * 3, 3.3, 0, ""),
        ([3.996], 4, 1, "3.996 is under 4"),
        ([2.5], 3, 1, "2.50 is under 3"),
        ([], 3, 3, "No"),
    ],
)
def test_a_mean_under_its_bar_fails_and_is_not_rounded_up_to_it(
    scores: list[float], least: float, code: int, said: str
) -> None:
    told = Console(file=io.StringIO(), width=200)
    assert exit_under(Run("r", list(map(low, scores))), least, Exit.PASS, told) == code
    assert said in told.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ({SOUND: 0.6, KEPT: 1.0, ACCEPTED: 0.5}, "Weighted mean of coherence 3.00, sound replies 2.40, reactions 2.00: 2.44. On the scale of people's ratings: 2.89."),
        ({SOUND: 0.9, KEPT: 0.25}, "Replies keep 1.00 points after their reported faults, and the score is never higher."),
        ({SOUND: 0.1, KEPT: 1.0}, "On the scale of people's ratings: 0.29. No fault is reported, so the score is at least 1."),
        ({SOUND: 0.0, KEPT: 0.75}, "The lowest score is 0."),
        ({SOUND: 1.0, KEPT: 1.0, ACCEPTED: 1.0, CONTENT: 1.0}, "The highest score is 4."),
        ({}, "Weighted mean of effectiveness 3.00, coherence 3.00: 3.00."),
    ],
)  # fmt: skip
def test_the_overall_score_is_explained_by_its_parts_and_the_limit_that_decided(
    counts: dict[str, float], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {"coherence": 0.2, SOUND: 0.5, ACCEPTED: 0.2, CONTENT: 0.1}
    factors = {"effectiveness": 2.0, "coherence": 1.0}
    models = {COUNTED: OverallModel(weights, 2.0, -2.0), FACTORS: OverallModel(factors, 1.0, 0.0)}
    monkeypatch.setattr(overall, "overall_models", lambda: models)
    one = record("a", {"coherence": 3, "effectiveness": 3}, counts=counts)
    assert one.answer is not None
    scores = overall.scores_with({"coherence": 3, "effectiveness": 3}, counts)
    one.answer["summaries"] = [{"overall": overall.model_for(scores)(scores)}]
    explanation = explained_overall(one)
    assert explanation is not None
    assert why in explanation


def test_an_overall_score_by_another_model_is_not_explained() -> None:
    one = record("a", {"coherence": 3}, counts={SOUND: 0.9, KEPT: 1.0})
    assert one.answer is not None
    one.answer["summaries"] = [{"overall": 0.123}]
    assert explained_overall(one) is None


def test_reasons_are_printed_once() -> None:
    one = record("a", {"coherence": 3, "novelty": None, "diversity": None})
    two = record("b", {"coherence": 3})
    for verdict in (*one.verdicts, *two.verdicts):
        verdict["flags"] = [{"code": "little_tested", "message": None, "detail": "the log names no domain"}]
    printed = io.StringIO()
    print_scores(Console(file=printed, width=200), Run("r", [one, two]), None, whole=True)
    assert "novelty, diversity: " in printed.getvalue()
    assert printed.getvalue().count("2 conversations may be rated differently by people") == 1
