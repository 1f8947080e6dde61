import pytest

from service.domain.counts import KEPT
from service.scoring.overall import LEAST, OverallModel

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
