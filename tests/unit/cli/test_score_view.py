"""Results for people."""

import io
from typing import Any

import pytest
from rich.console import Console

from service.cli.options import ShowOptions
from service.cli.score_view import conversation_rows, disagreement, show
from service.cli.scores import Run
from service.domain.counts import KEPT, SOUND
from tests.unit.cli.making import record


def low(score: float) -> Any:
    one = record("a", {"coherence": 3})
    assert one.answer is not None
    one.answer["summaries"] = [{"overall": score, "confidence": 0.1}]
    one.answer["verdicts"][0]["turns"] = [{"message": 1, "score": 2.4}, {"message": 3, "score": 0.8}]
    return one


def test_a_low_score_without_a_fault_shows_its_weakest_reply() -> None:
    (row,) = conversation_rows(Run("r", [low(1.0)]))
    assert row.why == "no sure fault; weakest: message 3"
    (row,) = conversation_rows(Run("r", [low(3.0)]))
    assert row.why == ""


@pytest.mark.parametrize(("least", "first"), [(None, "{"), (3.0, "a")])
def test_a_pipe_gets_lines_of_json_unless_a_bar_is_set(
    least: float | None, first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show(Run("r", [low(1.0)]), ShowOptions(fail_under=least), Console(file=io.StringIO()), written=False)
    assert capsys.readouterr().out.startswith(first)


@pytest.mark.parametrize(
    ("overall", "factors", "counts", "why"),
    [
        (1.0, {"coherence": 3, "novelty": 4}, {SOUND: 0.3, KEPT: 1.0}, "it counts every doubt about a reply"),
        (1.0, {"coherence": 3, "novelty": 4}, {SOUND: 0.9, KEPT: 0.25}, "the points that replies keep after their faults"),
        (3.5, {"coherence": 4, "novelty": 1}, {SOUND: 0.9, KEPT: 1.0}, "higher than novelty: it rests on coherence, the share"),
        (3.5, {"coherence": 4, "novelty": 1}, {}, "higher than novelty: it rests on effectiveness first"),
        (3.0, {"coherence": 4, "novelty": 2}, {SOUND: 0.9, KEPT: 1.0}, None),
    ],
)  # fmt: skip
def test_an_overall_score_far_from_the_factors_is_explained(
    overall: float, factors: dict[str, float], counts: dict[str, float], why: str | None
) -> None:
    one = record("a", factors, counts=counts)
    assert one.answer is not None
    one.answer["summaries"] = [{"overall": overall}]
    told = disagreement(one)
    assert told is None if why is None else why in str(told)
