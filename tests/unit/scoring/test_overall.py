from dataclasses import replace

import pytest

from service.domain.counts import KEPT
from service.scoring.overall import FACTORS, LEAST, OverallModel, overall_models

MODEL = OverallModel({"coherence": 1.0}, slope=2.0, intercept=-4.0)


@pytest.mark.parametrize(
    ("coherence", "kept", "overall"),
    [(3.0, 4.0, 2.0), (1.0, 4.0, LEAST), (1.0, 3.5, 0.0), (3.5, 1.5, 1.5), (1.0, None, 0.0)],
    ids=["the line", "no fault reported", "a fault reported", "bounded by faults", "a judge that counts nothing"],
)  # fmt: skip
def test_reported_faults_bound_the_overall_score(
    coherence: float, kept: float | None, overall: float
) -> None:
    scores = {"coherence": coherence} | ({} if kept is None else {KEPT: kept})
    assert MODEL(scores) == overall


def test_good_conversations_do_not_tie_at_the_top() -> None:
    bent = replace(MODEL, bend=3.8)
    scores = [bent({"coherence": one, KEPT: 4.0}) or 0.0 for one in (3.8, 3.9, 4.0)]
    assert MODEL({"coherence": 4.0, KEPT: 4.0}) == 4.0
    assert 3.4 < scores[0] < scores[1] < scores[2] < 4.0
    assert bent({"coherence": 3.9, KEPT: 4.0}) == pytest.approx(3.8)


def test_a_model_of_factors_alone_reaches_the_top() -> None:
    model = overall_models()[FACTORS]
    assert model(dict.fromkeys(model.weights, 4.0)) == pytest.approx(4.0)
